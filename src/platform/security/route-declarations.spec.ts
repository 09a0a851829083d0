import 'reflect-metadata';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Public, RequirePermission } from './access.js';
import { RouteDeclarations } from './route-declarations.js';
import { SecurityModule } from './security.module.js';

@Controller('things')
class DeclaredController {
  @Get(':id') @RequirePermission('issuers:read') read(): void {}
  @Post() @Public() create(): void {}
  notARoute(): void {}
}

@Controller()
class SilentController {
  @Get('silent') read(): void {}
}

const boot = (...controllers: (new () => object)[]) => {
  @Module({ imports: [SecurityModule], controllers })
  class App {}
  return Test.createTestingModule({ imports: [App] }).compile().then((module) => module.createNestApplication({ logger: false }).init());
};

describe('route declarations', () => {
  it('let an application start whose every route says who may call it', async () => {
    const app = await boot(DeclaredController);
    expect(app.get(RouteDeclarations).routes()).toEqual([
      { method: 'GET', path: '/things/:id', permission: 'issuers:read', handler: 'DeclaredController.read' },
      { method: 'POST', path: '/things', permission: null, handler: 'DeclaredController.create' },
    ]);
    await app.close();
  });

  it('stop the start at a route that says nothing, and name it', async () => {
    await expect(boot(DeclaredController, SilentController)).rejects.toThrow('SilentController.read');
  });
});
