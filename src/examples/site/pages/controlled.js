/**
 * Controlled fields, as in React: the state is the truth and the field only shows it. A field tells the state through its own event,
 * and every render writes the state back into the field. So a value that a script put there without the event a person's typing
 * raises is lost at the next render and is never sent.
 *
 * Like React, a field also remembers what scripts of the page wrote through its `value` or `checked`: an event that brings no other
 * value than that is not a change.
 */
export function createForm(initial) {
  let state = { ...initial };
  const fields = [];
  const watchers = [];

  function render() {
    for (const field of fields) field.write(state[field.name]);
    for (const watch of watchers) watch(state);
  }

  function set(name, value) {
    state = { ...state, [name]: value };
    render();
  }

  return {
    /** Binds a field: `property` is what holds its value, `event` what a person's input raises. */
    control(name, element, property, event) {
      const native = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), property);
      let known = native.get.call(element);
      Object.defineProperty(element, property, {
        configurable: true,
        get: () => native.get.call(element),
        set: (value) => {
          known = value;
          native.set.call(element, value);
        },
      });
      element.addEventListener(event, () => {
        const value = native.get.call(element);
        if (value !== known) {
          known = value;
          set(name, value);
        }
        render();
      });
      // Leaving a field renders too, as it does in an app that tracks which fields were touched.
      element.addEventListener('blur', render);
      fields.push({
        name,
        write(value) {
          known = value;
          if (native.get.call(element) !== value) native.set.call(element, value);
        },
      });
      render();
      return element;
    },
    /** Called with the state now and after each change. */
    watch(watcher) {
      watchers.push(watcher);
      watcher(state);
    },
    state: () => state,
    render,
  };
}
