/**
 * Which part may import which. Every pattern is anchored; test/contract/boundaries.spec.ts
 * plants a violation of each rule and shows that the rule fires.
 *
 *   shared <- sri <- modules/x/domain <- persistence <- modules/x/<subject> <- use-cases, saga <- controller, module
 */
const SPEC = '\\.spec\\.ts$';

/** Packages and core modules that the fiscal kernel may use: cryptography, reading its own schemas, XML, numbers, the HTTP client behind SoapTransport. */
const KERNEL_LIBRARIES = '^(node:)?(buffer|crypto|fs|url|path|util)$|^node_modules/(decimal\\.js|libxml2-wasm|xml-crypto|@xmldom/xmldom|node-forge|@types/node-forge|fast-xml-parser|undici)/';
/** What prints documents needs besides: fonts as files, PDF, barcodes. */
const PRINTING_LIBRARIES = '^(node:)?(module|zlib|stream|events)$|^node_modules/(pdfkit|@types/pdfkit|bwip-js)/';
const SIMULATOR_LIBRARIES = '^(node:)?(crypto|fs|http|net|path|url|util|timers/promises)$|^node_modules/(decimal\\.js|libxml2-wasm|xml-crypto|@xmldom/xmldom|node-forge|@types/node-forge|fast-xml-parser|zod)/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one thing, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'imports-exist',
      comment: 'Every import names something that is there.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'shared-stands-on-nothing',
      comment: 'shared is known to all and knows nobody.',
      severity: 'error',
      from: { path: '^src/shared/', pathNot: SPEC },
      to: { pathNot: ['^src/shared/', '^node_modules/decimal\\.js/'] },
    },
    {
      name: 'config-knows-no-feature',
      comment: 'Settings are read before anything else exists.',
      severity: 'error',
      from: { path: '^src/config/', pathNot: SPEC },
      to: { path: '^src/', pathNot: '^src/(config|shared)/' },
    },
    {
      name: 'kernel-is-pure',
      comment: 'src/sri knows the documents of Ecuador and nothing of frameworks, databases or the service.',
      severity: 'error',
      from: { path: '^src/sri/', pathNot: ['^src/sri/ride/', SPEC] },
      to: { pathNot: ['^src/(sri|shared)/', KERNEL_LIBRARIES] },
    },
    {
      name: 'printing-is-pure',
      comment: 'The printed representation is part of the kernel; it may use PDF and barcode libraries besides.',
      severity: 'error',
      from: { path: '^src/sri/ride/', pathNot: SPEC },
      to: { pathNot: ['^src/(sri|shared)/', KERNEL_LIBRARIES, PRINTING_LIBRARIES] },
    },
    {
      name: 'simulator-stands-alone',
      comment: 'It judges what the service produces, so it shares nothing with the producing side but the code tables and the ports.',
      severity: 'error',
      from: { path: '^src/simulator/', pathNot: SPEC },
      to: { pathNot: ['^src/simulator/', '^src/sri/tables/', '^src/shared/ports\\.ts$', SIMULATOR_LIBRARIES] },
    },
    {
      name: 'identity-provider-stands-alone',
      comment: 'It is another process that stands in for somebody else; what it believes must not be what the service believes.',
      severity: 'error',
      from: { path: '^src/identity-provider/', pathNot: SPEC },
      to: { pathNot: ['^src/identity-provider/', '^(node:)?(crypto|http|net|url)$', '^node_modules/zod/'] },
    },
    {
      name: 'nobody-imports-the-identity-provider',
      comment: 'It is reached over HTTP.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/identity-provider/' },
      to: { path: '^src/identity-provider/' },
    },
    {
      name: 'nobody-imports-the-simulator',
      comment: 'It is another process, reached over HTTP; only its generated documentation and the command that sends its words read its tables.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/simulator/', '^src/docs/simulator(\\.spec)?\\.ts$', '^src/cli/commands/trigger\\.ts$'] },
      to: { path: '^src/simulator/' },
    },
    {
      name: 'platform-knows-no-module',
      comment: 'platform is what modules stand on.',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: SPEC },
      to: { path: '^src/', pathNot: '^src/(platform|config|shared|sri)/' },
    },
    {
      name: 'modules-meet-in-public',
      comment: 'A module sees of another only its public.ts, and public.dto.ts for shapes of the interface.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/public(\\.dto)?\\.ts$'] },
    },
    {
      name: 'modules-from-outside',
      comment: 'Processes see public.ts and the Nest module; the lifecycle table is data for migrations, readiness and docs.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/modules/', SPEC] },
      to: {
        path: '^src/modules/',
        pathNot: ['^src/modules/[^/]+/(public|[^/]+\\.module)\\.ts$', '^src/modules/documents/domain/lifecycle\\.ts$'],
      },
    },
    {
      name: 'domain-is-pure',
      comment: 'Decisions need no framework and no database.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/domain/', pathNot: SPEC },
      to: { pathNot: ['^src/(shared|sri)/', '^src/modules/$1/domain/', '^node_modules/decimal\\.js/'] },
    },
    {
      name: 'persistence-below-use-cases',
      comment: 'Storing knows the domain, not who asks.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/persistence/' },
      to: { path: ['^src/modules/$1/(?!(domain|persistence)/)[^/]+/', '^src/modules/$1/[^/]+\\.(controller|module)\\.ts$'] },
    },
    {
      name: 'subjects-below-use-cases',
      comment: 'What use cases share in a folder of its subject (documents/content, auth/sessions) does not know which they are.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/(?!(domain|persistence|use-cases|saga)/)[^/]+/', pathNot: ['\\.(controller|module)\\.ts$', SPEC] },
      to: { path: '^src/modules/$1/(use-cases|saga)/' },
    },
    {
      name: 'use-cases-below-controllers',
      comment: 'A use case, and what it stands on, does not know how it is reached.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/(?!(domain|persistence)/)[^/]+/', pathNot: ['\\.(controller|module)\\.ts$', SPEC] },
      to: { path: ['^src/modules/$1/[^/]+\\.(controller|module)\\.ts$', '^src/modules/$1/[^/]+/[^/]+\\.(controller|module)\\.ts$'] },
    },
    {
      name: 'database-only-in-its-places',
      comment: 'TenantTransaction is the only way to the database for everything that serves a tenant; the generated pages of the schema are read from an empty one.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/platform/(database|embedded)/', '^src/modules/[^/]+/persistence/', '^src/operations/migrate\\.ts$', '^src/docs/schema\\.ts$', SPEC],
      },
      to: { path: '^node_modules/(typeorm|pg|@types/pg|pg-copy-streams|@types/pg-copy-streams|@nestjs/typeorm)/' },
    },
    {
      name: 'sql-only-in-repositories',
      comment: 'SQL of a module stands in its repositories; a query may select straight into the shape of its answer.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: ['^src/modules/[^/]+/(persistence/|use-cases/(await|get|list)-)', SPEC] },
      to: { path: '^src/platform/database/(tenant-transaction|list-reads)\\.ts$' },
    },
    {
      name: 'embedded-servers-only-locally',
      comment: 'A deployed process starts no server; the pages of the schema are generated where the program is developed, from a server of their own.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(platform/embedded|local)/', '^src/local\\.ts$', '^src/docs/schema\\.ts$'] },
      to: { path: '^src/platform/embedded/' },
    },
    {
      name: 'production-needs-no-development-package',
      comment: 'The image holds production packages only; the embedded servers are for development and tests.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platform/embedded/', SPEC] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '^node_modules/@types/' },
    },
    {
      name: 'program-imports-no-test',
      comment: 'Tests know the program, never the other way.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPEC },
      to: { path: ['^test/', '^bench/', SPEC] },
    },
  ],
  options: {
    doNotFollow: { path: '^node_modules' },
    // Packages that the comparison with others installs for itself.
    exclude: { path: '^bench/peers/node_modules/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
