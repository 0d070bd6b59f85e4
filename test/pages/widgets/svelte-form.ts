import { mount } from 'svelte';
import Form from './form.svelte';
import { at, markup } from './page.ts';

markup('<div id="app"></div>');
mount(Form, { target: at('#app') });
