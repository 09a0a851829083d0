import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { IDS, type Ids } from '../../../shared/ports.js';
import type { Language } from '../../../shared/language.js';
import {
  type CertificateNews, isNotice, type News, type NoticeType, type PauseNews, QUIET_MS, type ReviewNews, type SequenceNews, SETTLED_UNTOLD, type WebhookNews,
} from '../domain/notice-letter.js';
import type { ClaimedWork } from './mail-work.repository.js';

/** A mail to an admin, with its news. */
export interface NoticeMail {
  readonly recipient: string;
  readonly language: Language;
  readonly attempts: number;
  readonly tenantName: string;
  /** Null: the recipient is no owner or admin of a confirmed address, and gets no mail. */
  readonly news: News | null;
}

const MOST_ITEMS = 50;
/** News of a closed tenant are looked at again so often: it may be opened any time. */
const CLOSED_MS = 3_600_000;
/** Older ones are news no more. */
const MOST_DAYS = 31;

/** The first items, and how many more there are. */
interface Listed<Item> {
  readonly items: Item[];
  readonly more: number;
}

/**
 * Whom news are for; asked again before each attempt, for the ladder of a mail takes days. Nobody whose address is not confirmed:
 * it may be a stranger's, under which somebody else signed up.
 */
const IS_ADMIN = `a.status = 'active' and a.role in ('tenant_owner', 'tenant_admin') and has_confirmed_address(a.user_id)`;

/** What lately failed to reach an admin and is in no other mail, the newest first. */
const UNTOLD = `
  with told as (
    select e.id from mails m cross join unnest(m.event_ids) e (id)
    where m.tenant_id = $1 and m.notice = $5 and m.recipient = $6 and m.status in ('queued', 'sent')
  )
  select e.id from mails f cross join unnest(f.event_ids) e (id)
  where f.tenant_id = $1 and f.notice = $5 and f.recipient = $6 and f.status in ('failed', 'bounced') and f.created_at > $7::timestamptz - interval '${MOST_DAYS} days'
    and not exists (select from told where told.id = e.id)
  group by e.id order by max(f.created_at) desc limit ${MOST_ITEMS}`;

/** News for a tenant's owners and admins. */
@Injectable()
export class NoticesRepository {
  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * Queues one mail about an event to every active owner and admin of a confirmed address. The same mail reports other events of
   * the kind that wait, and those that earlier mails failed to report. Soon after such a mail the event waits, as it does while the
   * tenant is closed.
   */
  async addressAdmins({ tenantId, id: eventId }: ClaimedWork, token: string, clock: Date): Promise<void> {
    await this.transaction.run(tenantId, async (manager) => {
      // Two events of a kind wait for each other here, so that they are reported once.
      const [tenant] = await manager.query<{ is_active: boolean; now: Date }[]>(
        'select is_active, least($2::timestamptz, clock_timestamp()) as now from tenants where id = $1 for no key update', [tenantId, clock],
      );
      const [, held] = await manager.query<[unknown[], number]>('delete from mail_outbox where tenant_id = $1 and id = $2 and lease_token = $3', [tenantId, eventId, token]);
      const [event] = await manager.query<{ type: string; last_mail: Date | null }[]>(
        `select e.type, (select max(m.created_at) from mails m where m.tenant_id = e.tenant_id and m.notice = e.type and m.failure is distinct from $3) as last_mail
         from events e where e.tenant_id = $1 and e.id = $2`,
        [tenantId, eventId, SETTLED_UNTOLD],
      );
      if (held === 0 || tenant === undefined || event === undefined || !isNotice(event.type)) return;
      // What a clock that has leapt ahead writes would keep the next mail of the kind waiting.
      const { now } = tenant;
      if (!tenant.is_active) {
        await this.putOff(manager, tenantId, eventId, now);
        return;
      }
      const quietUntil = event.last_mail === null ? now : new Date(event.last_mail.getTime() + QUIET_MS[event.type]);
      if (quietUntil > now) {
        await manager.query(`insert into mail_outbox (tenant_id, id, kind, due_at) values ($1, $2, 'notice', $3)`, [tenantId, eventId, quietUntil]);
        return;
      }
      const [others] = await manager.query<[{ id: string }[], number]>(
        `delete from mail_outbox o using events e where o.tenant_id = $1 and o.kind = 'notice' and e.tenant_id = $1 and e.id = o.id and e.type = $2 returning o.id`,
        [tenantId, event.type],
      );
      await this.queueMails(manager, tenantId, event.type, [eventId, ...others.map(({ id }) => id)], now);
    });
  }

  /** All that waits to be told in a tenant waits until it is looked at again, together. */
  private async putOff(manager: EntityManager, tenantId: string, eventId: string, now: Date): Promise<void> {
    const [others] = await manager.query<[{ id: string }[], number]>(`delete from mail_outbox where tenant_id = $1 and kind = 'notice' returning id`, [tenantId]);
    await manager.query(
      `insert into mail_outbox (tenant_id, id, kind, due_at)
       select tenant_id, id, 'notice', $3 from events where tenant_id = $1 and id = any ($2) and created_at > $4::timestamptz - interval '${MOST_DAYS} days'`,
      [tenantId, [eventId, ...others.map(({ id }) => id)], new Date(now.getTime() + CLOSED_MS), now],
    );
  }

  /** @param eventIds what the mail reports; the first one gave rise to it */
  private async queueMails(manager: EntityManager, tenantId: string, type: NoticeType, eventIds: readonly string[], now: Date): Promise<void> {
    const admins = await manager.query<{ email: string }[]>(
      `select a.email from members a where a.tenant_id = $1 and ${IS_ADMIN} order by a.email`,
      [tenantId],
    );
    for (const { email } of admins) {
      const id = this.ids.uuid();
      await manager.query(
        `insert into mails (tenant_id, id, cause, event_id, event_ids, notice, recipient, language, created_at, updated_at)
         values ($1, $2, 'notice', $3, $4::uuid[] || array(${UNTOLD}), $5, $6, coalesce((select s.language from mail_settings s where s.tenant_id = $1), 'es'), $7, $7)`,
        [tenantId, id, eventIds[0], eventIds, type, email, now],
      );
      await manager.query(`insert into mail_outbox (tenant_id, id, kind, due_at) values ($1, $2, 'mail', $3)`, [tenantId, id, now]);
    }
  }

  /** A queued mail to an admin, its news as they are now; null when there is none of that id. */
  async find(tenantId: string, mailId: string, now: Date): Promise<NoticeMail | null> {
    return this.transaction.run(tenantId, async (manager) => {
      const [row] = await manager.query<{ recipient: string; language: Language; attempts: number; notice: string; event_ids: string[]; tenant_name: string; is_admin: boolean }[]>(
        `select m.recipient, m.language, m.attempts, m.notice, m.event_ids, t.name as tenant_name,
           exists (select from members a where a.tenant_id = m.tenant_id and a.email = m.recipient and ${IS_ADMIN}) as is_admin
         from mails m join tenants t on t.id = m.tenant_id
         where m.tenant_id = $1 and m.id = $2 and m.notice is not null`,
        [tenantId, mailId],
      );
      if (row === undefined || !isNotice(row.notice)) return null;
      const { recipient, language, attempts, tenant_name: tenantName, notice, event_ids: eventIds, is_admin: isAdmin } = row;
      return { recipient, language, attempts, tenantName, news: isAdmin ? await this.news(manager, tenantId, notice, eventIds, now) : null };
    });
  }

  /** @param eventIds what the mail is to report; lasting conditions are reported as they stand now, whichever event it was */
  private async news(manager: EntityManager, tenantId: string, type: NoticeType, eventIds: readonly string[], now: Date): Promise<News> {
    const read = async <Item>(sql: string, order: string, ...parameters: unknown[]): Promise<Listed<Item>> => {
      const items = await manager.query<(Item & { all: number })[]>(
        `select item.*, count(*) over ()::integer as "all" from (${sql}) item order by ${order} limit ${MOST_ITEMS}`, [tenantId, ...parameters]);
      return { items, more: (items[0]?.all ?? 0) - items.length };
    };
    switch (type) {
      case 'certificate.expiring':
      case 'certificate.expired':
        return {
          type,
          // What is reported first: there may be more that ran out long ago.
          ...(await read<CertificateNews>(
            `select i.razon_social as issuer, c.valid_to as "validTo",
               exists (select from certificate_notices n where n.tenant_id = c.tenant_id and n.certificate_id = c.id and n.event_id = any ($3::uuid[])) as "isReported"
             from certificates c join issuers i on i.tenant_id = c.tenant_id and i.id = c.issuer_id
             where c.tenant_id = $1 and c.is_active and i.is_active and c.valid_to < $2::timestamptz + interval '31 days'`,
            '"isReported" desc, "validTo"', now, eventIds,
          )),
        };
      case 'sequence.low':
        return {
          type,
          ...(await read<SequenceNews>(
            `select distinct on (i.razon_social, b.code, p.code, s.told ->> 'document_type') i.razon_social as issuer, b.code || '-' || p.code as point,
               s.told ->> 'document_type' as "documentType", (s.told ->> 'remaining')::integer as remaining
             from events e cross join lateral (select to_jsonb(e) -> 'data' -> 'sequence' as told) s
             join emission_points p on p.tenant_id = e.tenant_id and p.id = (s.told ->> 'emission_point_id')::uuid
             join establishments b on b.tenant_id = p.tenant_id and b.id = p.establishment_id
             join issuers i on i.tenant_id = b.tenant_id and i.id = b.issuer_id
             where e.tenant_id = $1 and e.type = 'sequence.low' and e.id = any ($2::uuid[])
             order by i.razon_social, b.code, p.code, s.told ->> 'document_type', e.created_at desc`,
            'remaining, issuer, point, "documentType"', eventIds,
          )),
        };
      case 'issuer.paused':
        return {
          type,
          ...(await read<PauseNews>(
            `select i.razon_social as issuer, b.code || coalesce('-' || p.code, '') as place, x.document_type as "documentType", x.code as "sriCode", x.created_at as since
             from issuing_pauses x join issuers i on i.tenant_id = x.tenant_id and i.id = x.issuer_id
             left join establishments b on b.tenant_id = x.tenant_id and b.id = x.establishment_id
             left join emission_points p on p.tenant_id = x.tenant_id and p.id = x.emission_point_id
             where x.tenant_id = $1 and x.resumed_at is null`,
            'since desc',
          )),
        };
      case 'webhook.disabled':
        return {
          type,
          ...(await read<WebhookNews>(
            `select to_jsonb(e) -> 'data' -> 'webhook' ->> 'url' as url, max(e.created_at) as since from events e
             where e.tenant_id = $1 and e.type = 'webhook.disabled' and e.id = any ($2::uuid[]) and to_jsonb(e) -> 'data' -> 'webhook' ->> 'url' is not null
             group by 1`,
            'since desc, url', eventIds,
          )),
        };
      case 'document.manual_review_required':
        return {
          type,
          ...(await read<ReviewNews>(
            `select i.razon_social as issuer, count(*)::integer as documents from documents d join issuers i on i.tenant_id = d.tenant_id and i.id = d.issuer_id
             where d.tenant_id = $1 and d.resting_status = 'MANUAL_REVIEW_REQUIRED' group by i.razon_social`,
            'documents desc',
          )),
        };
    }
  }
}
