import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Command, Query } from '@nestjs/cqrs';
import { Module, Controller, Get } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { API_NODE_OPTIONS } from '../../src/local/parts.js';
import { RouteDeclarations } from '../../src/platform/security/route-declarations.js';

/** Where @nestjs/cqrs notes what a handler handles. */
const HANDLES = { command: '__commandHandler__', query: '__queryHandler__' } as const;

type Class = new (...parameters: never[]) => object;

/** Everything that the use-case files of all modules export. */
async function useCaseClasses(): Promise<Class[]> {
  const modules = join('src', 'modules');
  const classes: Class[] = [];
  for (const module of readdirSync(modules)) {
    const folder = join(modules, module, 'use-cases');
    const files = readdirSync(join(modules, module)).includes('use-cases') ? readdirSync(folder) : [];
    for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))) {
      const exported = (await import(`../../${folder}/${file.replace(/\.ts$/, '.js')}`)) as Record<string, unknown>;
      classes.push(...Object.values(exported).filter((value): value is Class => typeof value === 'function' && /^class\b/.test(String(value))));
    }
  }
  return classes;
}

/** Where the build put a program with all that it loads. */
function bundleOf(program: string): string {
  const folder = resolve('dist', 'bundle');
  const [bundle] = readdirSync(folder).filter((file) => file.startsWith(`${program}-`) && file.endsWith('.cjs'));
  return join(folder, bundle!);
}

describe('what must hold before a process serves', () => {
  it.each([
    ['command', Command],
    ['query', Query],
  ] as const)('every %s has exactly one handler', async (kind, base) => {
    const handlerKey = HANDLES[kind];
    const classes = await useCaseClasses();
    const messages = classes.filter((candidate) => candidate.prototype instanceof base);
    const handlers = classes.filter((candidate) => Reflect.hasMetadata(handlerKey, candidate));
    expect(messages.length).toBeGreaterThan(2);
    for (const message of messages) {
      const mine = handlers.filter((handler) => Reflect.getMetadata(handlerKey, handler) === message);
      expect([message.name, mine.length]).toEqual([message.name, 1]);
    }
  });

  it('a route that declares neither a permission nor that it is public stops the boot', async () => {
    @Controller('open')
    class ForgottenController {
      @Get() read(): string {
        return 'never served';
      }
    }
    @Module({ imports: [DiscoveryModule], controllers: [ForgottenController], providers: [RouteDeclarations] })
    class Careless {}
    const module = await Test.createTestingModule({ imports: [Careless] }).compile();
    await expect(module.init()).rejects.toThrow('ForgottenController.read');
    await module.close();
  });

  it('the bundles hold production packages alone, and that of the worker nothing of HTTP', () => {
    const packagesIn = (text: string) => Array.from(text.matchAll(/^ *\/\/ ((?:.*\/)?node_modules\/(?:@[\w.-]+\/)?[\w.-]+)\//gm), ([, path]) => path!);
    const [ofApi, ofWorker] = ['main', 'worker'].map((program) => packagesIn(readFileSync(bundleOf(program), 'utf8')));
    const [api, worker] = [ofApi!, ofWorker!].map((paths) => new Set(paths.map((path) => path.slice(path.lastIndexOf('node_modules/') + 13))));
    const ofHttp = ['express', 'class-validator', 'class-transformer', 'passport', '@nestjs/swagger'];
    expect(ofHttp.filter((name) => api!.has(name))).toEqual(ofHttp);
    expect(ofHttp.filter((name) => worker!.has(name))).toEqual([]);
    expect(['typeorm', 'pg', 'bull', 'ioredis', '@nestjs/core'].filter((name) => !worker!.has(name))).toEqual([]);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { dev?: boolean }> };
    expect([...ofApi!, ...ofWorker!].filter((path) => packages[path]?.dev !== undefined || packages[path] === undefined)).toEqual([]);
  });

  it.each([
    ['main', API_NODE_OPTIONS],
    ['worker', []],
  ])('%s starts from the code that was kept with its bundle, under the options that it is run with', async (program, options) => {
    const start = `
      import { startBundle } from './dist/src/platform/start-bundle.js';
      process.exit = () => undefined;
      console.log('taken:', await startBundle(${JSON.stringify(bundleOf(program))}));`;
    const { stdout } = await promisify(execFile)(process.execPath, [...options, '--input-type=module', '--eval', start], { env: {} });
    expect(stdout).toMatch(/^taken: true$/m);
  });

  it('a worker loads nothing of HTTP', async () => {
    const packages = async (entry: string): Promise<string[]> => {
      const program = `
        import { createRequire } from 'node:module';
        import 'reflect-metadata';
        await import('./dist/src/${entry}.js');
        const loaded = Object.keys(createRequire(process.cwd() + '/').cache).join(' ');
        console.log(JSON.stringify(['express', 'class-validator', 'passport'].filter((name) => loaded.includes('/node_modules/' + name + '/'))));`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env: {} });
      return JSON.parse(stdout) as string[];
    };
    expect(await packages('app.module')).toEqual(['express', 'class-validator', 'passport']);
    expect(await packages('worker.module')).toEqual([]);
  });
});
