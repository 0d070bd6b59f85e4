import { isObject, type Json, type JsonObject } from '../model/json.ts';

/** How one element is named (SPEC §8). Exactly one of the ways is given; the rest narrows it. */
export interface TargetDefinition {
  ref?: string;
  role?: string;
  name?: string;
  label?: string;
  text?: string;
  placeholder?: string;
  testId?: string;
  css?: string;
  xpath?: string;
  exact?: boolean;
  /** Which of several matches, from 0 in document order; negative counts from the end. */
  nth?: number;
  within?: TargetDefinition;
  /** The frame element the target is in, itself a target of the page around it. */
  frame?: TargetDefinition;
}

/** A target, or alternatives that are tried in order. */
export type Target = TargetDefinition | TargetDefinition[];

/** A target in a few words for people: `button "Save"`, `the field "Justification"`. The first alternative stands for all. */
export function describeTarget(target: Json | Target | undefined): string {
  const first = (Array.isArray(target) ? target[0] : target) as JsonObject | undefined;
  if (!isObject(first)) return 'the page';
  const { ref, role, name, label, text: words, placeholder, testId, css, xpath } = first as unknown as TargetDefinition;
  if (role !== undefined) return name === undefined ? `the ${role}` : `${role} "${name}"`;
  if (label !== undefined) return `"${label}"`;
  if (words !== undefined) return `"${words}"`;
  if (placeholder !== undefined) return `"${placeholder}"`;
  return `the element ${ref ?? testId ?? css ?? xpath ?? ''}`.trim();
}

/** A value as an approval card quotes it, cut at 120 characters. */
export function quote(value: Json | undefined): string {
  const written = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return `"${written.length > 120 ? `${written.slice(0, 119)}…` : written}"`;
}
