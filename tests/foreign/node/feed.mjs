// Follows a table until it is closed, and tells what it got: node feed.mjs ADDRESS PROTO_FOLDER TABLE.
// One line when it has the snapshot; at the end one with how many images were left out for newer ones, the sequences
// of those that must be seen, and the last image.
import assert from "node:assert/strict";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [address, folder, table] = process.argv.slice(2);
const definition = loader.loadSync("pricing/baccarat/v1/odds_service.proto", {
  includeDirs: [folder],
  keepCase: true,
  longs: String, // sequences have 64 bits, ways 56: more than a number of JavaScript holds exactly
  enums: String,
  defaults: true,
});
const { OddsService } = grpc.loadPackageDefinition(definition).pricing.baccarat.v1;
const client = new OddsService(address, grpc.credentials.createInsecure());
const call = client.WatchTables({ tables: [table] }, { deadline: Date.now() + 120_000 });

// Times as protobuf's JSON has them.
const json = (value) =>
  JSON.stringify(value, (_, each) =>
    each?.seconds === undefined
      ? each
      : `${new Date(Number(each.seconds) * 1000).toISOString().slice(0, 19)}.${String(each.nanos).padStart(9, "0")}Z`,
  );

let last = null;
let conflated = 0n;
const mustSee = [];

const take = (image) => {
  if (last === null) {
    assert.deepEqual([image.previous_sequence, image.snapshot_reason], ["0", "SNAPSHOT_REASON_NEW"]);
  } else {
    assert.equal(image.epoch, last.epoch);
    assert.equal(image.previous_sequence, last.sequence);
    conflated += BigInt(image.sequence) - BigInt(last.sequence) - 1n;
    if (image.must_see_sequence !== last.must_see_sequence) {
      assert.equal(image.must_see_sequence, image.sequence, "an image that must be seen is missing");
      mustSee.push(image.sequence);
    }
  }
  last = image;
};

for await (const message of call) {
  if (message.snapshot_complete) console.log("following");
  if (message.image) take(message.image);
  if (last?.table.state === "TABLE_STATE_CLOSED") break;
}
call.cancel();
client.close();
console.log(json({ conflated: String(conflated), must_see: mustSee, image: last }));
