import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Settings, SettingsError } from '../../config/settings.js';
import { serviceVersion } from '../observability/build-info.js';
import type { Logger } from '../observability/logger.js';
import type { Shutdown } from '../shutdown/shutdown.js';
import type { OpenTelemetryRecorder } from './open-telemetry.js';
import { isTracing, recordSpans, tracedWithin } from './spans.js';

const TELL_AGAIN_MS = 60_000;

interface Bus {
  execute(message: object, ...rest: unknown[]): Promise<unknown>;
}

/** The traces of a process: begun where the settings ask for them, sent to the last when it stops. */
export class Tracing implements OnApplicationBootstrap, OnApplicationShutdown {
  private constructor(
    private readonly recorder: OpenTelemetryRecorder | null,
    private readonly modules: ModuleRef,
    private readonly shutdown: Shutdown,
  ) {}

  /** @throws SettingsError when traces are asked for and their packages are not installed */
  static async start(settings: Settings, kind: string, logger: Logger, modules: ModuleRef, shutdown: Shutdown): Promise<Tracing> {
    const endpoint = settings.OTEL_SDK_DISABLED ? undefined : settings.OTEL_EXPORTER_OTLP_ENDPOINT;
    if (endpoint === undefined) return new Tracing(null, modules, shutdown);
    const { OpenTelemetryRecorder: Recorder, otlpExporter } = await load();
    const exporter = otlpExporter(endpoint, settings.OTEL_EXPORTER_OTLP_HEADERS, complaint(logger));
    const recorder = new Recorder(settings, { kind, version: serviceVersion() }, exporter);
    recordSpans(recorder);
    return new Tracing(recorder, modules, shutdown);
  }

  onApplicationBootstrap(): void {
    if (!isTracing()) return;
    for (const bus of [CommandBus, QueryBus]) spanEach(this.modules.get<Bus>(bus, { strict: false }));
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.recorder === null) return;
    recordSpans(null);
    await this.shutdown.within(this.recorder.close());
  }
}

async function load(): Promise<typeof import('./open-telemetry.js')> {
  try {
    return await import('./open-telemetry.js');
  } catch (error) {
    if (!/MODULE_NOT_FOUND$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
    throw new SettingsError('OTEL_EXPORTER_OTLP_ENDPOINT: traces need the packages @opentelemetry/* of optionalDependencies in package.json, which are not installed: install them, or leave the setting out', { cause: error });
  }
}

/** Whatever a bus is given becomes a span of what goes on around it. */
function spanEach(bus: Bus): void {
  const execute = bus.execute.bind(bus);
  bus.execute = (message, ...rest) => tracedWithin({ name: message.constructor.name }, () => execute(message, ...rest));
}

/** Tells of lost spans at most once a minute, and then of all since. */
function complaint(logger: Logger): (spans: number, error: unknown) => void {
  let lost = 0;
  let silentUntil = 0;
  return (spans, error) => {
    lost += spans;
    if (performance.now() < silentUntil) return;
    logger.warn({ err: error, lost_spans: lost }, 'traces were not taken; the work goes on');
    lost = 0;
    silentUntil = performance.now() + TELL_AGAIN_MS;
  };
}
