import Foundation
import Testing

extension FaultMatrix {
    /// F13: bodies whose length does not fit 32 bits.
    @Suite(.enabled(if: FaultScale.current > .quick, "sends many GiB"))
    struct BigBodyFaults {
        @Test(arguments: [4 << 30, 10 << 30 | 1], [false, true])
        func `uploads of 4 GiB and more are forwarded unchanged and counted exactly`(
            byteCount: Int, isChunked: Bool
        ) throws {
            let origin = try Origin()
            let proxy = try Daemon()
            let file = try SparseFile(byteCount: byteCount)
            var sum = Row([:])
            let framing = isChunked ? ["-H", "Transfer-Encoding: chunked"] : []
            let grownMiB = try proxy.residentGrowthMiB {
                let outcome = try Tool.run(
                    "curl",
                    [
                        "-sS", "--max-time", "600", "-x", proxy.url, "-T", file.path,
                        origin.url("/up"),
                    ]
                        + framing)
                sum = try Row(json: outcome.text)
            }
            #expect(sum.int("body_bytes") == byteCount)
            // sha256sum takes several times as long.
            let local = try Tool.run("openssl", ["dgst", "-sha256", "-r", file.path]).text
                .split(separator: " ").first
            #expect(sum.text("body_sha256") == local.map(String.init))
            #expect(try proxy.row().int("request_body_bytes") == byteCount)
            FaultReport.add(
                "F13", "an upload of \(byteCount) bytes\(isChunked ? " in chunks" : "")",
                bar: "count and hash equal, ≤ 8 MiB more beside the 16 MiB that wait for the disk",
                reached: String(format: "equal, %.1f MiB", grownMiB), isReached: grownMiB <= 24)
        }
    }
}
