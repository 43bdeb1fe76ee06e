// Numbers as people read them.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export function count(number, singular, plural = `${singular}s`) {
  return `${whole.format(number)} ${number === 1 ? singular : plural}`;
}

export function bytes(number) {
  if (number < 1000) return count(number, 'byte');
  if (number < 1_000_000) return `${whole.format(number / 1000)} kB`;
  return `${tenths.format(number / 1_000_000)} MB`;
}

export function duration(milliseconds) {
  if (milliseconds < 10) return `${tenths.format(milliseconds)} ms`;
  if (milliseconds < 1000) return `${whole.format(milliseconds)} ms`;
  return `${tenths.format(milliseconds / 1000)} s`;
}
