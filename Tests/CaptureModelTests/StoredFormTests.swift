import ProxydCivilTime
import ProxydHTTPModel
import ProxydCaptureModel
import Testing

@Suite struct `Stored forms` {
    @Test func `a stored timeline is decoded to the same times, whichever of them are set`() {
        for seed in 0..<200 {
            var timeline = Timeline(wallStart: Int64(seed) * 77, start: 0)
            timeline.connectionReused = seed % 2 == 0
            for moment in Moment.allCases where (seed >> (moment.rawValue % 8)) & 1 == 1 {
                timeline[moment] = Int64(seed) &* 1_000_003 &* Int64(moment.rawValue - 5)
            }
            if seed == 7 { timeline[.ended] = .max }
            var room = TimelineCoding.Room(repeating: 0xFF)
            let byteCount = TimelineCoding.encode(timeline, into: &room).byteCount
            let bytes = room.indices.prefix(byteCount).map { room[$0] }
            let decoded = TimelineCoding.decode(
                bytes, wallStart: timeline.wallStart, connectionReused: timeline.connectionReused)
            #expect(decoded == timeline)
            for count in bytes.indices {
                _ = TimelineCoding.decode(
                    Array(bytes[..<count]), wallStart: 0, connectionReused: false)
            }
        }
    }

    @Test
    func `a truncated stored certificate chain is decoded up to the last complete certificate`() {
        let chain: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 5, count: 70_000)]
        let bytes = CertificateChainCoding.encode(chain)
        #expect(CertificateChainCoding.decode(bytes) == chain)
        #expect(CertificateChainCoding.decode(Array(bytes.dropLast())) == Array(chain.dropLast()))
        #expect(CertificateChainCoding.decode([0, 0]).isEmpty)
        #expect(CertificateChainCoding.decode([255, 255, 255, 255, 1]).isEmpty)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
            (2_147_483_648_000_000_000, "2038-01-19T03:14:08.000Z"),
            (Int64.max, "2262-04-11T23:47:16.854Z"), (Int64.min, "1677-09-21T00:12:43.145Z"),
        ] as [(Int64, String)])
    func `timestamps are formatted as RFC 3339 with milliseconds in UTC`(
        nanoseconds: Int64, text: String
    ) {
        #expect(RFC3339.text(nanoseconds: nanoseconds) == text)
    }
}
