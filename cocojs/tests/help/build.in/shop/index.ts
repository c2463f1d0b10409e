export let size = 3;
export let area = size * size;
