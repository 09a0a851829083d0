import { SettingsError } from '../config/settings.js';

/**
 * Why a process cannot listen, by the setting that is to be changed.
 *
 * @param prefix of the settings' names: none for the API's HOST and PORT
 */
export function listenProblem(error: unknown, host: string, port: number, prefix: '' | 'METRICS_' = ''): SettingsError {
  return new SettingsError(describe(error as NodeJS.ErrnoException, host, port, prefix), { cause: error });
}

function describe({ code, message }: NodeJS.ErrnoException, host: string, port: number, prefix: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${prefix}PORT: ${port} of ${host} is taken; each process needs one of its own, and METRICS_PORT another than PORT`;
    case 'EACCES':
      return `${prefix}PORT: this user may not listen on ${port}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${prefix}HOST: ${host} is not an address of this machine`;
    default:
      return `${prefix}HOST, ${prefix}PORT: ${message}`;
  }
}
