// A line of numbers, for a glance.

const WIDTH = 240;
const HEIGHT = 48;

export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((it, at) => `${(at * step).toFixed(1)},${(HEIGHT - 3 - (it / most) * (HEIGHT - 8)).toFixed(1)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <line x1={0} x2={WIDTH} y1={HEIGHT - 2} y2={HEIGHT - 2} />
      {points.length > 1 ? <polyline points={points.join(" ")} /> : null}
    </svg>
  );
}
