import 'reflect-metadata';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public, RequirePermission, SignedIn } from './access.js';
import { RouteDeclarations } from './route-declarations.js';

@Controller('things')
class DeclaredController {
  @Get(':id') @RequirePermission('issuers:read') read(): void {}
  @Post() @Public() create(): void {}
  @Get() @SignedIn() list(): void {}
  notARoute(): void {}
}

@Controller()
class UndecidedController {
  @Get('undecided') @Public() @SignedIn() read(): void {}
}

@Controller()
class SilentController {
  @Get('silent') read(): void {}
}

const boot = (...controllers: (new () => object)[]) => {
  @Module({ imports: [DiscoveryModule], providers: [RouteDeclarations], controllers })
  class App {}
  return Test.createTestingModule({ imports: [App] }).compile().then((module) => module.createNestApplication({ logger: false }).init());
};

describe('route declarations', () => {
  it('let an application start whose every route says who may call it', async () => {
    const app = await boot(DeclaredController);
    expect(app.get(RouteDeclarations).routes()).toEqual([
      { method: 'GET', path: '/things/:id', permission: 'issuers:read', signedIn: false },
      { method: 'POST', path: '/things', permission: null, signedIn: false },
      { method: 'GET', path: '/things', permission: null, signedIn: true },
    ]);
    await app.close();
  });

  it('stop the start at a route that says nothing, and name it', async () => {
    await expect(boot(DeclaredController, SilentController)).rejects.toThrow('SilentController.read');
  });

  it('stop the start at a route that says two things', async () => {
    await expect(boot(DeclaredController, UndecidedController)).rejects.toThrow('UndecidedController.read');
  });
});
