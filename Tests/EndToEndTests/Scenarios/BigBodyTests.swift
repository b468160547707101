import Foundation
import ProxydTestSupport
import Testing

/// Bodies of any size pass through; what they take of memory does not grow with them.
@Suite(.serialized)
struct BigBodyTests {
    /// 1 GiB with PROXYD_TEST_FULL=1.
    static let byteCount = Daemon.isFullScale ? 1 << 30 : 128 << 20

    @Test(arguments: [false, true])
    func `a big download is forwarded completely, and proxyd's memory grows by less than 32 MiB`(
        isIntercepted: Bool
    ) throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: isIntercepted ? certificate : nil)
        let proxy = try Daemon(trusting: certificate)
        let grownMiB = try proxy.residentGrowthMiB {
            let outcome = try proxy.curl(
                "--max-time", "300", "-o", "/dev/null", "-w", "%{size_download}",
                origin.url("/bytes/\(Self.byteCount)"))
            #expect(outcome.text == String(Self.byteCount), "\(outcome.errors)")
        }
        #expect(grownMiB < 32)
        let row = try proxy.row()
        #expect(row.int("response_body_bytes") == Self.byteCount)
        #expect(row.text("state") == "complete")
        let response = try proxy.show(row).row("response")
        #expect(response?.int("body_kept_bytes") == 16 << 20)
        #expect(response?.int("body_truncated") == 1)
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `a big upload is forwarded completely, and proxyd's memory grows by less than 32 MiB`(
        isIntercepted: Bool, isChunked: Bool
    ) throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: isIntercepted ? certificate : nil)
        let proxy = try Daemon(trusting: certificate)
        let file = try SparseFile(byteCount: Self.byteCount)
        let grownMiB = try proxy.residentGrowthMiB {
            let framing = isChunked ? ["-H", "Transfer-Encoding: chunked"] : []
            let outcome = try Tool.run(
                "curl",
                [
                    "-sS", "--max-time", "300", "-x", proxy.url, "--cacert",
                    proxy.certificatePath, "-T", file.path, origin.url("/up"),
                ] + framing)
            let report = try Row(json: outcome.text)
            #expect(report.int("body_bytes") == Self.byteCount, "\(outcome.errors)")
        }
        #expect(grownMiB < 32)
        let row = try proxy.row()
        #expect(row.int("request_body_bytes") == Self.byteCount)
        #expect(row.text("state") == "complete")
    }
}

/// A file of zeros that takes no room.
final class SparseFile {
    private let directory: ScratchFolder
    var path: String { directory.path + "/zeros" }

    init(byteCount: Int) throws {
        directory = try ScratchFolder()
        guard FileManager.default.createFile(atPath: path, contents: nil),
            truncate(path, byteCount) == 0
        else { throw Tool.Failure(description: "no file of \(byteCount) bytes") }
    }
}
