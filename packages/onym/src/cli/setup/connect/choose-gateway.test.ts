import { describe, expect, it } from "vitest";
import { clientOf } from "../../../clients/find-client.js";
import { refuseOthersAddress } from "./choose-gateway.js";

const URL_THERE = "http://127.0.0.1:6696/mcp/cursor";

function refusal(id: string, gateways: readonly { readonly url: string; readonly config: string }[]) {
  try {
    refuseOthersAddress(clientOf(id), URL_THERE, gateways);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("connecting over HTTP where no gateway of the config runs", () => {
  const demo = { url: "http://127.0.0.1:6696/mcp", config: "/tmp/onym-demo-x/the bundled demo" };

  it("is refused where the demo has the port, with what to do", () => {
    expect(refusal("cursor", [demo])).toMatchObject({
      code: "usage",
      message: "The bundled demo runs at http://127.0.0.1:6696: Cursor would get its tools, not yours.",
      hint:
        "With --stdio, Cursor starts Onym itself. To connect over HTTP, end the demo (Ctrl-C where it runs) and " +
        "run onym serve, or run onym serve --port 6697 beside it, and then connect again.",
    });
  });

  it("is refused where a gateway of another config has it", () => {
    expect(refusal("cursor", [{ ...demo, config: "/srv/onym.json" }])).toMatchObject({
      message: expect.stringMatching(/^A gateway of another config \(.*srv\/onym\.json\) runs at/),
    });
  });

  it("goes on where gateways listen elsewhere, or none does", () => {
    expect(refusal("cursor", [])).toBeUndefined();
    expect(refusal("cursor", [{ ...demo, url: "http://127.0.0.1:6697/mcp" }])).toBeUndefined();
  });
});
