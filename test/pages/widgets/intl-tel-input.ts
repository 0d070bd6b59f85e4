import intlTelInput from 'intl-tel-input/intlTelInputWithUtils';
import 'intl-tel-input/styles';
import { at, expose, markup } from './page.ts';

markup('<label for="phone">Phone</label> <input id="phone" type="tel">');
const field = at<HTMLInputElement>('#phone');
const phone = intlTelInput(field, { initialCountry: 'us' });
const model: { country: string | undefined; number: string } = { country: 'us', number: '' };
expose(() => model);
field.addEventListener('countrychange', () => {
  model.country = phone.getSelectedCountry()?.iso2;
});
field.addEventListener('input', () => {
  model.number = phone.getNumber();
});
