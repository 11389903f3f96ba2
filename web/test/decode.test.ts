import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOfText, unpack } from "../src/blocks.ts";
import { CONTACT_WORDS, eachChunk } from "../src/decode.ts";
import { FormatError } from "../src/format.ts";
import { Recording } from "../src/recording.ts";
import { block, chunk, concat, frameChunk, pressedBlock, rollingBall, sceneChunk } from "./make.ts";

function read(chunks: Uint8Array[], live = false): Recording {
  const recording = new Recording(live);
  eachChunk(concat(chunks), (kind, payload) => recording.add(kind, payload));
  return recording;
}

test("poses, channels and contacts come back as they were written", () => {
  const recording = read(rollingBall().chunks);
  assert.equal(recording.frames.length, 121);
  assert.equal(recording.scene!.bodies[1].name, "ball");
  assert.equal(recording.scene!.bodies[1].mass, 2.5);
  const frame = recording.frame(60);
  assert.equal(frame.time, 1);
  assert.ok(Math.abs(frame.poses[7]) < 1e-6 && Math.abs(frame.poses[9] - 0.2) < 1e-6);
  assert.equal(frame.contacts, 1);
  assert.deepEqual([...frame.contactInts.slice(0, 2)], [0, 1]);
  assert.equal(frame.contactFloats[10], 24.5);
  assert.equal(frame.contactFloats.length, CONTACT_WORDS);
  assert.equal(recording.columns[1].every((x) => Math.abs(x - 4.9) < 1e-6), true);
  assert.equal(recording.maxForce, 24.5);
});

test("patches come back as they were written, and set the scale of pressure", () => {
  const recording = read(pressedBlock().chunks);
  const [patch] = recording.frame(3).patches;
  assert.equal(patch.starts.length - 1, 100);
  assert.equal(patch.pressure[10], 1e5);
  assert.deepEqual([...patch.force], [0, 0, 18000]);
  assert.deepEqual([...patch.indices.slice(0, 4)], [0, 1, 12, 11]);
  assert.equal(recording.maxPressure, 1e5);
  assert.equal(recording.buffers.get(1)!.tets.length, 8);
});

test("the frame shown at a time is the last one not after it", () => {
  const recording = read(rollingBall().chunks);
  assert.equal(recording.indexAt(-1), 0);
  assert.equal(recording.indexAt(0.5), 30);
  assert.equal(recording.indexAt(0.5 + 0.9 / 60), 30);
  assert.equal(recording.indexAt(99), 120);
});

test("chunks of kinds to come are skipped", () => {
  const { chunks } = rollingBall();
  const recording = read([chunks[0], chunk(77, new Uint8Array(13)), ...chunks.slice(1)]);
  assert.equal(recording.frames.length, 121);
});

test("a block packs and unpacks", async () => {
  const { chunks } = rollingBall();
  const [text] = blocksOfText(`<p>x</p>${block(...chunks)}`);
  const { bytes, whole } = await unpack(text);
  assert.equal(whole, true);
  assert.deepEqual(bytes, concat(chunks));
});

test("of a block that is cut off, the chunks before the cut are had", async () => {
  const { chunks } = rollingBall();
  const [text] = blocksOfText(block(...chunks).slice(0, -3000));
  const { bytes, whole } = await unpack(text);
  assert.equal(whole, false);
  const recording = new Recording();
  eachChunk(bytes, (kind, payload) => recording.add(kind, payload));
  assert.ok(recording.frames.length > 10 && recording.frames.length < 121, String(recording.frames.length));
});

test("damage is an error in words, wherever it is", () => {
  const { chunks, scene } = rollingBall();
  const fails = (list: Uint8Array[], words: RegExp): void => {
    assert.throws(() => read(list), (error) => error instanceof FormatError && words.test(error.message), String(words));
  };
  fails([sceneChunk({ ...scene, version: 2 })], /format version 2; this page reads version 1\. Open it with a newer Stiction/);
  fails([sceneChunk({ ...scene, format: "other" })], /not a Stiction recording/);
  fails([chunk(1, new TextEncoder().encode("{"))], /header cannot be read/);
  fails([sceneChunk({ ...scene, geoms: [{ name: "x", body: 9 }] })], /shape is missing/);
  fails([sceneChunk({ ...scene, bodies: undefined })], /list of bodies is missing/);
  fails([chunks[1]], /frame comes before the scene/);
  fails([chunks[0], frameChunk(0, [0, 0, 0, 1, 0, 0, 0], [])], /number of bodies is another/);
  fails([chunks[0], chunk(3, chunks[1].subarray(8, 60))], /shorter than it says/);
  fails([chunks[0], chunks[5], chunks[2]], /time goes back/);
  fails([chunks[0], chunk(3, new Uint8Array(24).fill(255))], /shorter than it says/);
});

test("no bytes make the reader fail in another way", () => {
  const { chunks } = pressedBlock();
  const whole = concat(chunks.slice(0, 5));
  let seed = 12345;
  const random = (n: number): number => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % n;
  for (let round = 0; round < 400; round++) {
    const bytes = whole.slice(0, round % 3 === 0 ? random(whole.length) : whole.length);
    for (let k = 0; k < 1 + random(8); k++) bytes[random(bytes.length)] = random(256);
    try {
      const recording = new Recording();
      eachChunk(bytes, (kind, payload) => recording.add(kind, payload));
    } catch (error) {
      assert.ok(error instanceof FormatError, `round ${round}: ${String(error)}`);
    }
  }
});

test("a live recording starts anew when time goes back, and keeps a bounded past", () => {
  const { chunks } = rollingBall();
  assert.equal(read([...chunks, chunks[1]], true).frames.length, 1);
  const pose = [0, 0, 0, 1, 0, 0, 0];
  const many = Array.from({ length: 5000 }, (_, i) => frameChunk(i / 100, [...pose, ...pose, ...pose], [i, 0, 0, 0, 0, 0, 0]));
  const recording = read([chunks[0], ...many], true);
  assert.ok(recording.frames.length <= 4000 && recording.frames.length >= 3500, String(recording.frames.length));
  assert.equal(recording.end, 49.99);
  assert.equal(recording.columns[0].length, recording.frames.length);
  assert.equal(recording.columns[0][recording.frames.length - 1], 4999);
});
