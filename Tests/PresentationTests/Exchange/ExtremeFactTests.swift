import ProxydHTTPModel
import ProxydPresentation
import Testing

/// Numbers that no one measures, and that a damaged store may hold all the same.
struct ExtremeFactTests {
    private static let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

    private func certificate(_ from: Int64, _ until: Int64) -> CertificateFacts {
        CertificateFacts(
            subject: "CN=a", issuer: "CN=a", names: [], notBefore: from, notAfter: until, key: "k",
            signature: "s", serial: "1", fingerprint: "AB", isAuthority: true)
    }

    @Test
    func `a certificate is shown as expired if and only if its expiry time has passed`() {
        for from in ExtremeFactTests.extremes {
            for until in ExtremeFactTests.extremes {
                for now in ExtremeFactTests.extremes {
                    let lines = certificate(from, until).lines(1, WallTime(), now: now)
                    let words = lines[3].text
                    let second = now / 1_000_000_000 - (now % 1_000_000_000 < 0 ? 1 : 0)
                    #expect(words.hasSuffix("expired") == (until < second))
                }
            }
        }
    }

    @Test
    func `a not yet valid certificate is highlighted, and a self-signed one is shown as such`()
        throws
    {
        let lines = certificate(2_000, 900_000_000).lines(2, WallTime(), now: 1_000_000_000_000)
        #expect(lines[0].text == "2  CN=a  authority")
        #expect(lines[1].text == "   issuer        itself")
        #expect(lines[2].runs.last?.style == .bad)
        let valid = certificate(1_000, 900_000_000).lines(2, WallTime(), now: 1_000_000_000_000)
        #expect(valid[2].runs.last?.style == .plain)
    }

    @Test func `timeline bars stay within their columns for any timestamps`() {
        for start in ExtremeFactTests.extremes {
            for end in ExtremeFactTests.extremes {
                var timeline = Timeline(wallStart: start, start: 0)
                timeline[.sendStart] = start
                timeline[.sendEnd] = end
                timeline[.responseFirstByte] = end
                timeline[.delivered] = end
                for columnCount in [-1, 0, 1, 10] {
                    for line in TimelineLines(timeline).bars(columnCount: columnCount) {
                        // The name, the duration, and the bar.
                        let bar = line.text.drop { $0 != "█" }
                        #expect((1...max(1, columnCount)).contains(bar.count))
                    }
                }
                #expect(TimelineLines(timeline).moments(WallTime()).count <= 4)
            }
        }
    }

    @Test(
        arguments: [
            (0, 100, Style.Role.scale1), (99, 100, .scale1), (100, 100, .scale2),
            (999, 100, .scale2), (1_000, 100, .scale3), (10_000, 100, .scale4),
            (100_000, 100, .scale5), (-5, 100, .scale1), (.max, 100, .scale5),
        ] as [(Int64, Int64, Style.Role)])
    func `each step of the colour scale for quantities is a factor of ten`(
        number: Int64, start: Int64, role: Style.Role
    ) {
        #expect(Quantity.scale(number, from: start) == role)
    }

    @Test(
        arguments: [
            (0, "0"), (-1, "-1"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"),
            (.max, "9,223,372,036,854,775,807"), (.min, "-9,223,372,036,854,775,808"),
        ] as [(Int64, String)])
    func `the digits of a number are grouped in threes`(number: Int64, text: String) {
        #expect(Quantity.grouped(number) == text)
    }

    @Test
    func `rounded byte counts have at most three digits, and rounded durations never show 60 s`() {
        for power in 0..<18 {
            let unit = (0..<power).reduce(Int64(1)) { product, _ in product * 10 }
            for near in [-1, 0, 1] as [Int64] {
                for factor in [1, 5, 9] as [Int64] {
                    let bytes = Quantity.bytes(unit * factor + near)
                    let digits = bytes.prefix { $0 != " " }
                    #expect(digits.count { $0.isNumber } <= 3, "\(bytes)")
                    let time = Quantity.duration(unit * factor + near)
                    #expect(!time.hasPrefix("1000 ") && !time.contains("60 s"), "\(time)")
                }
            }
        }
        #expect(Quantity.duration(.min) == "0 µs")
        #expect(Quantity.duration(.max).hasSuffix(" m"))
    }
}
