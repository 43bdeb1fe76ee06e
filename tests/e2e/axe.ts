import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** The rules whose outcome differs from one scheme of colours to the other. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Checks what a page shows: by all rules of axe in light colours, and by those about colours in dark ones. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Transitions must have ended before colours are measured.
    await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
    // There are no frames, for whose sake axe would open a page each time.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations, passes } = await (colorScheme === 'dark' ? axe.withRules(OF_COLOURS) : axe).analyze();
    const found = violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }));
    expect(found, `what axe finds in state "${state}", ${colorScheme}`).toEqual([]);
    expect(
      passes.map(({ id }) => id),
      'axe has looked at the colours',
    ).toContain('color-contrast');
  }
}
