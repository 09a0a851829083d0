/** What may happen to the world from outside, by name. The place in the list is the number on the tape. */
export const COMMANDS = [
  'nothing', 'post', 'post_again', 'post_other_body', 'get', 'advance', 'sri_down', 'sri_up', 'sri_script', 'sri_calm',
  'redis_flush', 'redis_down', 'redis_up', 'crash', 'pause', 'resume', 'lose_job', 'double_job', 'spoil_job',
  'expire_certificate', 'upload_certificate', 'power_loss', 'retry', 'reconcile', 'abandon', 'cancel', 'withdraw', 'portal', 'resume_pauses', 'correct', 'damage_key',
] as const;

export type CommandName = (typeof COMMANDS)[number];

const WEIGHTS: Readonly<Record<CommandName, number>> = {
  nothing: 4, post: 14, post_again: 5, post_other_body: 2, get: 2, advance: 14, sri_down: 3, sri_up: 4, sri_script: 6, sri_calm: 1,
  redis_flush: 2, redis_down: 1, redis_up: 3, crash: 5, pause: 3, resume: 4, lose_job: 3, double_job: 3, spoil_job: 1,
  expire_certificate: 2, upload_certificate: 3, power_loss: 0.5, retry: 3, reconcile: 2, abandon: 1, cancel: 2, withdraw: 1, portal: 2, resume_pauses: 2, correct: 4, damage_key: 1,
};

const ALWAYS: readonly CommandName[] = ['nothing', 'post', 'advance'];

export const COMMAND_WEIGHTS = COMMANDS.map((name) => WEIGHTS[name]);
export const ALWAYS_ON = ALWAYS.map((name) => COMMANDS.indexOf(name));
