// How long to wait, as people say it.

/** In seconds, minutes or hours, rounded up: whoever waits that long has waited enough. */
export function durationText(language: string, seconds: number): string {
  const say = (unit: 'second' | 'minute' | 'hour', count: number): string =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return say('second', whole);
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? say('minute', minutes) : say('hour', Math.ceil(minutes / 60));
}
