import { describe, expect, it } from "vitest";
import { buildPolicy } from "../../policy/build-policy.js";
import { createMemoryDownstream } from "../testing/memory-downstream.js";
import { buildCaller, snapshotOf } from "../testing/test-callers.js";
import { createCallerAccess } from "./caller-visibility.js";
import { confineSnapshot } from "./confine-snapshot.js";

/** Every third resource, template and prompt is denied. */
function confine(count: number) {
  const names = Array.from({ length: count }, (_, at) => `${at % 3 === 0 ? "secret" : "public"}_${at}`);
  const downstream = createMemoryDownstream(
    {
      prompts: names.map((name) => ({ name })),
      resources: names.map((name) => ({ name, uri: `file:///${name}` })),
      templates: names.map((name) => ({ name, uriTemplate: `file:///${name}/{x}` })),
    },
    { server: "docs" },
  );
  const snapshot = snapshotOf({ downstreams: [downstream] });
  const pattern = {
    text: "a pattern",
    integration: "*",
    integrationVersion: "any",
    toolVersion: "any",
  } as const;
  const policy = buildPolicy({
    default: "allow",
    rules: [
      { effect: "deny", resource: ["file:///SECRET_*"] },
      { effect: "deny", prompt: [{ ...pattern, tool: "secret_*" }] },
    ],
  });
  const caller = buildCaller();
  const access = createCallerAccess(policy)(snapshot, caller);
  if (access === undefined) throw new Error("nothing is hidden");
  const confined = confineSnapshot(snapshot, access);
  const listed = () => ({
    prompts: confined.promptsOf(downstream).map(({ name }) => name),
    table: confined.promptTableOf(caller).tools.map(({ tool }) => tool.raw),
    resources: confined.resourcesOf(downstream).map(({ name }) => name),
    templates: confined.templatesOf(downstream).map(({ name }) => name),
  });
  return { confinement: confined.confinement, listed, names };
}

describe("the lists of a caller from whom something is hidden (POL-9)", () => {
  it("are filtered in slices, once, and as without (SAFE-4)", async () => {
    const { confinement, listed, names } = confine(60);
    const preparing = confinement?.prepareItems();
    expect(preparing).toBeInstanceOf(Promise);
    expect(confinement?.prepareItems()).toBe(preparing);
    await preparing;
    expect(confinement?.prepareItems()).toBeUndefined();
    const seen = names.filter((name) => name.startsWith("public"));
    expect(listed().resources).toEqual(seen);
    expect(listed().templates).toEqual(seen);
    expect(listed().prompts).toEqual(seen);
    expect([...listed().table].sort()).toEqual([...seen].sort());
    expect(confine(60).listed()).toEqual(listed());
  });

  it("are filtered at once where they are short", () => {
    const { confinement, listed } = confine(6);
    expect(confinement?.prepareItems()).toBeUndefined();
    expect(listed().resources).toEqual(["public_1", "public_2", "public_4", "public_5"]);
  });
});

describe("a bare address of a caller from whom something is hidden (POL-9, GW-5)", () => {
  /** `down` was not heard since the gateway started, `up` lists the address and offers the template. */
  function confineWith(hidden: string, others: readonly string[]) {
    const offer = {
      resources: [{ name: "notes", uri: "file:///notes" }],
      templates: [{ name: "mem", uriTemplate: "mem://{x}" }],
    };
    const up = createMemoryDownstream(offer, { server: "up" });
    const twins = others.map((server) => createMemoryDownstream(offer, { server }));
    const down = createMemoryDownstream(undefined, { server: "down" });
    const downstreams = hidden === "twin" ? [up, ...twins] : [up, ...twins, down];
    const snapshot = snapshotOf({ downstreams });
    const policy = buildPolicy({ default: "allow", rules: [{ effect: "deny", server: [hidden] }] });
    const access = createCallerAccess(policy)(snapshot, buildCaller());
    if (access === undefined) throw new Error("nothing is hidden");
    return { up, whole: snapshot.resources, confined: confineSnapshot(snapshot, access).resources };
  }

  it("stays ambiguous while a server is down that was not heard, whatever else is denied", () => {
    const { up, whole, confined } = confineWith("nobody", []);
    for (const uri of ["file:///notes", "mem://a"]) {
      expect(confined.resolve(uri)).toMatchObject({ outcome: "ambiguous", candidates: [`onym://up/${uri}`] });
      expect(confined.resolve(uri)).toEqual(whole.resolve(uri));
      expect(confined.resolve(`onym://up/${uri}`)).toEqual({ outcome: "resolved", owner: up, uri });
    }
    expect(confined.resolveTemplate("mem://{x}")).toMatchObject({ outcome: "ambiguous" });
  });

  it("stays ambiguous then also if one of two that list it is hidden, and names only the other", () => {
    const { confined } = confineWith("twin", ["twin"]);
    expect(confined.resolve("file:///notes")).toMatchObject({ outcome: "resolved" });
    const { confined: unsure } = confineWith("other", ["other"]);
    expect(unsure.resolve("file:///notes")).toMatchObject({
      outcome: "ambiguous",
      candidates: ["onym://up/file:///notes"],
    });
  });

  it("stays ambiguous if one of two that list it may not be read, but its server is seen", () => {
    const offer = { resources: [{ name: "notes", uri: "file:///notes" }] };
    const downstreams = ["up", "twin"].map((server) => createMemoryDownstream(offer, { server }));
    const snapshot = snapshotOf({ downstreams });
    const rule = { effect: "deny", server: ["twin"], resource: ["file:///*"] } as const;
    const access = createCallerAccess(buildPolicy({ default: "allow", rules: [rule] }))(
      snapshot,
      buildCaller(),
    );
    if (access === undefined) throw new Error("nothing is hidden");
    const { resources } = confineSnapshot(snapshot, access);
    expect(resources.resolve("file:///notes")).toMatchObject({
      outcome: "ambiguous",
      candidates: ["onym://up/file:///notes"],
    });
    expect(resources.resolve("onym://twin/file:///notes")).toEqual({ outcome: "unknown" });
    expect(resources.resolve("onym://up/file:///notes")).toMatchObject({ outcome: "resolved" });
  });

  it("is unknown if all that list it are hidden", () => {
    expect(confineWith("up", []).confined.resolve("file:///notes")).toEqual({ outcome: "unknown" });
  });
});
