import { MODEL_LISTS } from '../../src/model/model-list.ts';
import { unpriced } from '../../src/model/model-prices.ts';
import { fromForm, type ModelForm } from '../../src/view/model-form.ts';
import { Button } from '../kit/button.tsx';
import { t } from '../kit/i18n.tsx';

/** Where the prices come from that nobody typed, and which models have none. */
export function PriceNotes({ form, onAdd }: { form: ModelForm; onAdd: (model: string) => void }) {
  const lists = Object.values(MODEL_LISTS);
  const dates = lists.map(({ read }) => read).sort();
  const missing = unpriced(fromForm(form)).filter((model) => !form.prices.some((row) => row.model.trim() === model));
  return (
    <>
      <p class="muted small">
        {t('settings.listPrices', { from: dates[0] ?? '', to: dates.at(-1) ?? '' })}{' '}
        {lists.map(({ source }, i) => (
          <span key={source}>
            {i > 0 && ', '}
            <a href={source} target="_blank" rel="noreferrer">
              {new URL(source).host}
            </a>
          </span>
        ))}
      </p>
      {missing.map((model) => (
        <p class="note" key={model} data-testid="no-price">
          {t('settings.noPrice', { model })}{' '}
          <Button small data-testid="price-missing" onClick={() => onAdd(model)}>
            {t('settings.addPriceOf', { model })}
          </Button>
        </p>
      ))}
    </>
  );
}
