import Foundation
import Testing

@testable import ProxydFilter

/// Times and sizes, as people write them.
@Suite struct FilterValueTests {
    @Test func `local times in filters follow the daylight saving of the time zone`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        for (text, utc) in [("2026-07-01T12:00", 10), ("2026-01-01T12:00", 11)] {
            let reader = FilterTime(now: 0) {
                berlin.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0)))
            }
            let utcText = "\(text.prefix(11))\(utc):00Z"
            #expect(reader.read(text)?.first == reader.read(utcText)?.first)
        }
    }

    @Test func `invalid times in filters are rejected`() {
        let reader = FilterTime(now: 0, offset: FilterTimeZone.utc.offset)
        for text in [
            "2026-13-01", "2026-02-29", "2026-1-1", "2026-01-01T24:00", "2026-01-01T1:00",
            "2026-01-01T10:00:", "2026-01-01T10:00:00.", "2026-01-01T10:00+1", "9999-01-01",
            "-15", "-m", "-99999999999w", "", "2026", "2026-01-01T10:00Zx",
        ] { #expect(reader.read(text) == nil, "\(text)") }
        #expect(reader.read("2024-02-29")?.first == 1_709_164_800_000_000_000)
        #expect(reader.read("1969-12-31T23:59:59Z")?.first == -1_000_000_000)
    }

    @Test(arguments: [
        ("10k", 10_000, 1_000), ("2M", 2_000_000, 1_000_000), ("1.5k", 1_500, 100), ("7", 7, 1),
        ("1Ki", 1_024, 1_024), ("0.5MiB", 524_288, 104_857), ("3gb", 3_000_000_000, 1_000_000_000),
    ])
    func `sizes in filters can have units, and keep the precision that is written`(
        text: String, value: Int64, precision: Int64
    ) throws {
        let size = try #require(FilterQuantity(text, units: FilterQuantity.sizeUnits))
        #expect(size.value == value)
        #expect(size.precision == precision)
    }

    @Test(arguments: [
        "", "k", "10x", "-5", "1.2.3", "1.", ".5", "99999999999999999999", "9999999T",
    ])
    func `invalid sizes in filters are rejected`(text: String) {
        #expect(FilterQuantity(text, units: FilterQuantity.sizeUnits) == nil)
    }
}
