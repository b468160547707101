import ProxydConfigurationText
import ProxydContentCoding
import ProxydControl
import ProxydEventLoops
import ProxydHTTPWire
import ProxydTLS
import ProxydTestSupport
import Testing

@testable import ProxydDaemonConfiguration
@testable import proxyd

/// docs/DEFAULTS.md gives the limits that cannot be configured as the program has them.
struct FixedLimitTests {
    private static let wire = WireLimits()
    private static let decoding = DecodingLimits()
    private static let http2 = HTTP2Connection.Options(.server).settings

    @Test(arguments: [
        ("a method", "\(wire.methodByteCountMax) bytes"),
        ("empty lines before a request", "\(wire.emptyLineCountMax)"),
        ("a line with a chunk size", size(wire.chunkLineByteCountMax)),
        ("chunk extensions of a message", size(wire.chunkExtensionsByteCountMax)),
        (
            "streams open at a time on a client's HTTP/2 connection",
            "\(http2.concurrentStreamCountMax ?? 0)"
        ),
        (
            "data queued for a peer",
            "\(size(StreamWatermarks.highByteCount)), until "
                + "\(size(StreamWatermarks.lowByteCount)) are left"
        ),
        ("a body decoded for viewing", size(decoding.decodedByteCountMax)),
        (
            "… per encoded byte",
            "\(count(decoding.ratioMax)) bytes, and \(size(decoding.slackByteCount)) in addition"
        ),
        ("… content codings on top of each other", "\(decoding.layerCountMax)"),
        ("the configuration file", size(ConfigurationFile.byteCountMax)),
        ("cached leaves", "\(count(LeafCertificateCache.nameCountMax)) names"),
        ("a line", size(ControlLimits.lineByteCountMax)),
        ("a piece of a body in an import", size(ControlLimits.bodyPieceByteCountMax)),
        ("data queued for a client that does not read", size(ControlLimits.backlogByteCountMax)),
        ("clients", "\(ControlLimits.connectionCountMax)"),
        ("pending requests of a client", "\(ControlLimits.pendingRequestCountMax)"),
        ("exchange numbers reserved at a time", count(ControlLimits.identifierCountMax)),
    ])
    func `the documentation of default values gives the actual value of each fixed limit`(
        what: String, value: String
    ) throws {
        let documented = try RepositoryFiles.text("docs/DEFAULTS.md").split(separator: "\n")
            .filter { $0.hasPrefix("| \(what) | ") }
        #expect(documented.count == 1)
        #expect(documented.first?.hasPrefix("| \(what) | \(value) |") == true, "\(documented)")
    }

    private static func size(_ byteCount: Int) -> String {
        byteCount < 1 << 20 ? "\(byteCount >> 10) KiB" : "\(byteCount >> 20) MiB"
    }

    private static func count(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : "\(number / 1_000),000"
    }
}
