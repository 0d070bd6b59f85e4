import { childrenOf, closest, matches, parentElementOf } from './dom.ts';
/** Visible as Playwright defines it: drawn, not `visibility: hidden`, and of some size. Opacity does not count. */
export function isVisible(element: Element): boolean {
  if (!element.isConnected) return false;
  if (!element.checkVisibility({ visibilityProperty: true })) return false;
  const box = element.getBoundingClientRect();
  if (box.width > 0 && box.height > 0) return true;
  // An editor that is told of input may keep the element for it as small as nothing: what is seen is drawn beside it.
  if ((element as { editContext?: unknown }).editContext && element.parentElement)
    return isVisible(element.parentElement);
  // `display: contents` has no box of its own; its children have.
  if (getComputedStyle(element).display !== 'contents') return false;
  return childrenOf(element).some(isVisible) || element.textContent?.trim() !== '';
}

/** Hidden from assistive technology and from eyes: nothing of it, nor of what it holds, is to be read. */
export function isDropped(element: Element, style = getComputedStyle(element)): boolean {
  if (element.getAttribute('aria-hidden') === 'true') return true;
  const parent = parentElementOf(element);
  if (parent instanceof HTMLDetailsElement && !parent.open && parent.querySelector(':scope > summary') !== element)
    return true;
  return style.display === 'none' || style.getPropertyValue('content-visibility') === 'hidden';
}

/** Disabled natively (also by a fieldset around it) or by ARIA, on itself or on what holds it. */
export function isDisabled(element: Element): boolean {
  if (matches(element, ':disabled')) return true;
  return closest(element, '[aria-disabled="true"]') !== null;
}
