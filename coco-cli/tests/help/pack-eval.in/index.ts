class Bucket extends Resource { name: string; size: number; }

let logs = new Bucket("logs", config.size);
printf(logs.name);
let site = new Bucket("site", logs.id);
