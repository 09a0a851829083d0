import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/** What a program of the project's folder writes, without any settings. */
async function runModule(program: string, options: readonly string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '--input-type=module', '--eval', program], { env: {} });
  return stdout;
}

/** What a bundle writes, and whether the code was taken that was kept with it; it may not end the process. */
const started = (bundle: string, options?: readonly string[]): Promise<string> =>
  runModule(
    `import { startBundle } from './dist/src/platform/start-bundle.js';
    process.exit = () => undefined;
    console.log('taken:', await startBundle(${JSON.stringify(bundle)}));`,
    options,
  );

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
    expect(await started(bundleOf(program), options)).toContain('taken: true');
    // Or mistakes would pass that the tests, whose modules are strict, throw on.
    expect(readFileSync(bundleOf(program), 'utf8')).toMatch(/^\(function [^\n]*\{\n'use strict';\n/);
  });

  it('a program starts from its text where the code that was kept is damaged, cut off, or not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sello-bundle-'));
    const bundle = join(folder, 'program.cjs');
    const code = `${bundle}.code`;
    try {
      writeFileSync(bundle, `(function () {\n'use strict';\nfunction sum(n) { return n === 0 ? 0 : n + sum(n - 1); }\nconsole.log('sum:', sum(4));\n})`);
      await runModule(`import { keepCode } from './dist/src/platform/start-bundle.js'; await keepCode(${JSON.stringify(bundle)});`);
      const kept = readFileSync(code);
      expect(await started(bundle)).toBe('sum: 10\ntaken: true\n');
      const damaged = kept.map((byte, at) => (at === Math.floor(kept.length / 2) ? byte ^ 1 : byte));
      for (const bytes of [damaged, kept.subarray(0, kept.length / 2), Buffer.alloc(0)]) {
        writeFileSync(code, bytes);
        expect(await started(bundle)).toBe('sum: 10\ntaken: false\n');
      }
      rmSync(code);
      expect(await started(bundle)).toBe('sum: 10\ntaken: false\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a worker loads nothing of HTTP', async () => {
    const packages = async (entry: string): Promise<string[]> => {
      const program = `
        import { createRequire } from 'node:module';
        import 'reflect-metadata';
        await import('./dist/src/${entry}.js');
        const loaded = Object.keys(createRequire(process.cwd() + '/').cache).join(' ');
        console.log(JSON.stringify(['express', 'class-validator', 'passport'].filter((name) => loaded.includes('/node_modules/' + name + '/'))));`;
      return JSON.parse(await runModule(program)) as string[];
    };
    expect(await packages('app.module')).toEqual(['express', 'class-validator', 'passport']);
    expect(await packages('worker.module')).toEqual([]);
  });
});
