import type { ComponentChildren } from 'preact';
import type { SurfaceState } from '../../src/app/protocol.ts';

type Waiting = SurfaceState['waiting'][number];

/** The card around what a step waits for: what kind of wait, which step, and why. */
export function Frame({
  one,
  title,
  asks,
  icon,
  why = one.reason,
  children,
}: {
  one: Waiting;
  title: string;
  /** What the step itself says that it wants; shown instead of its name and the reason. */
  asks?: string;
  /** Why it waits, where the engine's own sentence is not the one to show. */
  why?: string;
  icon: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <article
      class="card wait"
      data-testid={`wait-${one.kind}`}
      data-run={one.runId}
      data-path={one.path}
      aria-label={`${title}: ${one.name}`}
    >
      <h3 class="row-tight wait-title">
        {icon}
        {title}
      </h3>
      <p dir="auto">
        <b>{asks ?? one.name}</b>
      </p>
      {asks === undefined && why !== '' && (
        <p class="muted" dir="auto">
          {why}
        </p>
      )}
      {children}
    </article>
  );
}
