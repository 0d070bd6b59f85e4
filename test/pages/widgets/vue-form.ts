import { createApp, reactive, toRaw } from 'vue';
import { expose, INITIAL, markup } from './page.ts';

markup('<div id="app"></div>');
const model = reactive({ ...INITIAL });
expose(() => ({ ...toRaw(model) }));

// `v-model` compiles to a listener of its own for each kind of field; `lazy` listens to change and not to input.
createApp({
  setup: () => ({ model }),
  template: `<form>
    <label>Name <input v-model="model.name"></label>
    <label>Amount <input type="number" v-model.number="model.amount"></label>
    <label>Kind <select v-model="model.kind">
      <option value="">–</option><option value="t">Travel</option><option value="m">Meals</option>
    </select></label>
    <label><input type="checkbox" v-model="model.agree"> I agree</label>
    <label v-for="pay in ['cash', 'card']" :key="pay">
      <input type="radio" name="pay" :value="pay" v-model="model.pay"> Pay by {{ pay }}
    </label>
    <label>Notes <textarea v-model.lazy="model.notes"></textarea></label>
    <label>Day <input type="date" v-model="model.day"></label>
    <label>Level <input type="range" v-model.number="model.level"></label>
    <label>Tags <select multiple v-model="model.tags">
      <option value="a">Alpha</option><option value="b">Beta</option><option value="c">Gamma</option>
    </select></label>
  </form>`,
}).mount('#app');
