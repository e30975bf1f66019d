// Records events of a table as a studio in Node would: node tables.mjs ADDRESS PROTO_FOLDER.
import assert from "node:assert/strict";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [address, folder] = process.argv.slice(2);
const definition = loader.loadSync("pricing/baccarat/v1/table_service.proto", {
  includeDirs: [folder],
  keepCase: true,
  longs: String, // positions and source numbers have 64 bits, ways 56: more than a number of JavaScript holds exactly
  enums: String,
  oneofs: true,
  defaults: true,
});
const { TableService } = grpc.loadPackageDefinition(definition).pricing.baccarat.v1;
const client = new TableService(address, grpc.credentials.createInsecure());

const call = (method, request) =>
  new Promise((resolve, reject) =>
    client[method](request, { deadline: Date.now() + 10_000 }, (error, answer) => (error ? reject(error) : resolve(answer))),
  );

const { table } = await call("CreateTable", {
  table: "node",
  game_type: "bet-on-baccarat",
  round_windows_ms: [0, 0, 0],
  event_id: "made",
});
assert.equal(table.state, "TABLE_STATE_OPEN");
assert.equal(table.position, "1");

// The largest source numbers that there are, as texts: a number would be rounded.
const first = 9223372036854775000n;
let sent = 0n;
const event = (fields) => ({ table: "node", event_id: `n${++sent}`, source_number: String(first + sent), ...fields });

const loaded = await call("RecordEvent", { event: event({ shoe_loaded: {} }) });
assert.deepEqual([loaded.receipt.position, loaded.receipt.card_state, loaded.receipt.refusal], ["2", "1", null]);

const script = [
  event({ game_opened: {} }),
  event({ betting_closed: { round: 1 } }),
  event({ card_dealt: { card: "9S", side: "SIDE_PLAYER" }, expected_card_state: "1", shoe_position: 1 }),
  event({ betting_closed: {} }),
  event({ card_dealt: { card: "KD" }, expected_card_state: "1" }), // stale: it is 2
  event({ card_dealt: { card: "KD" }, source_number: String(first + 6n), expected_card_state: "2" }),
];

const stream = (events) =>
  new Promise((resolve, reject) => {
    const call = client.StreamEvents();
    const received = [];
    call.on("data", (answer) => received.push(answer));
    call.on("error", reject);
    call.on("end", () => resolve(received));
    for (const each of events) call.write({ event: each });
    call.end();
  });

const answers = await stream(script);
assert.deepEqual(answers.map((answer) => [answer.event_id, answer.outcome]), [
  ["n2", "receipt"],
  ["n3", "receipt"],
  ["n4", "receipt"],
  ["n5", "receipt"],
  ["n6", "error"],
  ["n7", "receipt"],
]);
assert.equal(answers[4].error.reason, "CARD_STATE_CHANGED");
assert.deepEqual(answers[4].error.metadata, { expected_card_state: "2" });
const again = await stream(script.filter((each) => each.event_id !== "n6"));
assert.ok(again.every((answer) => answer.receipt.duplicate));

const { table: image } = await call("GetTable", { table: "node" });
assert.equal(image.source_number, String(first + 6n));
assert.deepEqual([image.card_state, image.holds, image.game.dealt], ["3", [], ["9S", "KD"]]);
const [, , third] = image.game.rounds;
assert.equal(third.state, "ROUND_STATE_OPEN");
assert.ok(third.bets.every((bet) => bet.state === "OFFER_STATE_ACTIVE"));
assert.match(third.total_ways, /^\d+$/);

await assert.rejects(call("RecordEvent", { event: { ...script[0], source_number: "1" } }), (error) => {
  assert.equal(error.code, grpc.status.ALREADY_EXISTS);
  return true;
});
const refused = await call("RecordEvent", { event: event({ result_announced: { winner: "WINNER_TIE" }, source_number: String(first + 7n) }) });
assert.equal(refused.receipt.refusal.reason, "GAME_NOT_ENDED");

await call("RecordEvent", { event: event({ games_voided: { reason: "VOID_REASON_OTHER" }, source_number: String(first + 8n) }) });
await call("CloseTable", { table: "node", event_id: "closed" });
const { tables } = await call("ListTables", {});
assert.deepEqual(tables.map((each) => [each.table, each.state]), [["node", "TABLE_STATE_CLOSED"]]);
client.close();
console.log("a game recorded");
