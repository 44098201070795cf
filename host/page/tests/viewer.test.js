// The step viewer in Debian's Chromium, on a report of a real run: pages are given by `scripts/test-page`.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const REDUCED = pathToFileURL(process.env.RETAP_REDUCED_REPORT).href;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser.close());

/** The page, closed afterwards; no error and no request to anywhere may happen on it. */
async function onPage(options, work) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('request', (request) => request.url().startsWith('file:') || wrong.push(request.url()));
  await page.goto(options?.url ?? REDUCED);
  await work(page);
  assert.deepEqual(wrong, []);
  await context.close();
}

const position = (page) => page.locator('.viewer .moves span').innerText();

async function assertAccessible(page) {
  await page.addScriptTag({ path: AXE });
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(' ')}`), []);
}

test('a click on a picture opens its step, and Escape gives the focus back', () => onPage({}, async (page) => {
  await page.locator('#crash-1 li[data-step="1"] svg.phone').click();
  assert.match(await position(page), /^Step 2 of \d+$/);
  assert.match(page.url(), /#crash-1\/step-2$/);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.viewer').count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.className), 'open-viewer');
  assert.doesNotMatch(page.url(), /step/);
}));

test('the keyboard alone walks through all steps to the finding', () => onPage({}, async (page) => {
  await page.locator('#crash-1 .open-viewer').focus();
  await page.keyboard.press('Enter');
  const steps = Number((await position(page)).match(/of (\d+)/)[1]);
  for (let step = 1; step < steps; step += 1) {
    assert.equal(await position(page), `Step ${step} of ${steps}`);
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('ArrowRight');
  assert.equal(await position(page), 'The finding');
  await page.keyboard.press('ArrowRight');
  assert.equal(await position(page), 'The finding');
  await page.keyboard.press('Home');
  assert.equal(await position(page), `Step 1 of ${steps}`);
  await page.keyboard.press('End');
  assert.equal(await position(page), 'The finding');
}));

test('the address of a step opens it, and one that is none opens nothing', async () => {
  await onPage({ url: `${REDUCED}#crash-2/step-2` }, async (page) => {
    assert.match(await position(page), /^Step 2 of/);
    assert.equal(
      await page.locator('.viewer h2').innerText(),
      (await page.locator('#crash-2 h3').first().innerText()),
    );
  });
  for (const hash of ['#crash-999/step-1', '#crash-1/step-', '#crash-1/step-1e9', '#/step-1', '#"><img>']) {
    await onPage({ url: REDUCED + hash }, async (page) => assert.equal(await page.locator('.viewer').count(), 0));
  }
});

test('a step shows its widget framed, its attributes, the UI tree and what changed', () => onPage({}, async (page) => {
  await page.locator('#crash-1 .open-viewer').click();
  const frames = page.locator('.stage figure:first-child .framed');
  assert.equal(await frames.count(), 1);
  assert.ok((await page.locator('.attributes dd').allInnerTexts()).some((text) => text.startsWith('android.')));
  assert.ok((await page.locator('.changes li').count()) > 0);
  const frameBox = await frames.boundingBox();
  // Another node of the tree is framed instead.
  const nodes = page.locator('.tree button');
  assert.ok((await nodes.count()) > 3);
  await nodes.first().click();
  assert.equal(await nodes.first().getAttribute('aria-pressed'), 'true');
  assert.notDeepEqual(await frames.boundingBox(), frameBox);
  // The picture after a step does not show the touch of the next one.
  assert.equal(await page.locator('.stage figure:last-child .touch').count(), 0);
  assert.equal(await page.locator('.stage figure:first-child .touch').count(), 1);
}));

test('the original trace is listed with what was removed', () => onPage({}, async (page) => {
  await page.locator('#crash-1 .open-viewer').click();
  const summary = page.locator('.viewer details summary');
  const [, steps, removed] = (await summary.innerText()).match(/(\d+) steps, (\d+) removed/).map(Number);
  await summary.click();
  assert.equal(await page.locator('.original li').count(), steps);
  assert.equal(await page.locator('.original del').count(), removed);
  assert.ok(removed > 0);
}));

// The page's own policy would not let axe in.
for (const colorScheme of ['light', 'dark']) {
  test(`page and viewer have no accessibility violation, ${colorScheme}`, () => onPage({ colorScheme, bypassCSP: true }, async (page) => {
    await assertAccessible(page);
    await page.locator('#crash-1 .open-viewer').click();
    await assertAccessible(page);
  }));
}

test('a phone of 390 pixels has no horizontal scrolling', () => onPage({ viewport: { width: 390, height: 800 } }, async (page) => {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(await excess(), 0);
  await page.locator('#crash-1 .open-viewer').click();
  assert.equal(await page.evaluate(() => {
    const viewer = document.querySelector('.viewer');
    return viewer.scrollWidth - viewer.clientWidth;
  }), 0);
}));

test('without script the findings and their pictures are there', () => onPage({ javaScriptEnabled: false }, async (page) => {
  assert.ok((await page.locator('#crash-1 svg.phone').count()) > 1);
  assert.equal(await page.locator('.open-viewer').count(), 0);
}));

test('print shows neither viewer nor buttons', () => onPage({}, async (page) => {
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('#crash-1 .open-viewer').isVisible(), false);
}));
