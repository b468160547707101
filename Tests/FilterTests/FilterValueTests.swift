import Foundation
import ProxydFilterTestSupport
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
    func `sizes in filters can have units and are as precise as their last written digit`(
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

/// Names of stores and of exchanges.
@Suite struct FilterNameTests {
    private static let central = FilterRow.with { row in
        row.id = 4_711
        row.texts[.store] = "ci-17"
    }

    @Test(arguments: [
        ("store=ci-17", true), ("store=ci", false), ("store:CI", true), ("store~^ci-[0-9]+$", true),
        ("store!=ci-17", false), ("id=4711", true), ("id=ci-17:4711", true),
        ("id=\"ci-17:4711\"", true), ("id=ci-17:4712", false), ("id=ci-18:4711", false),
        ("id!=ci-17:4711", false), ("id!=ci-18:4711", true), ("not id=ci-18:4711", true),
        ("id<ci-17:4712", true), ("id<ci-17:4711", false), ("id<=ci-17:4711", true),
        ("id<=ci-17:4710", false), ("id>ci-17:4710", true), ("id>=ci-17:4712", false),
        ("id>=ci-18:1", false), ("id:ci-17:71", true), ("id:ci-18:71", false),
        ("id=ci-17:1 or id=ci-17:4711", true),
    ])
    func `an exchange ID in a filter can consist of a store name and a number in that store`(
        text: String, isFound: Bool
    ) throws {
        #expect(try Filter.parse(text).matches(Self.central) == isFound)
    }

    @Test(arguments: [
        ("store:\"\"", false), ("store!:\"\"", true), ("id=ci-17:4711", false),
        ("not id=ci-17:4711", true), ("id=4711", true),
    ])
    func `outside a central store, a filter that names a store matches only if it is negated`(
        text: String, isFound: Bool
    ) throws {
        let row = FilterRow.with { $0.id = 4_711 }
        #expect(try Filter.parse(text).matches(row) == isFound)
    }

    @Test(arguments: ["id=ci-17:", "id=:4711", "id>=ci-17:x", "id=ci-17"])
    func `an invalid exchange id in a filter is reported at its column`(text: String) {
        do {
            _ = try Filter.parse(text)
            Issue.record("no error: \(text)")
        } catch {
            #expect(error.column == (text.hasPrefix("id>=") ? 5 : 4))
            #expect(error.message.contains("STORE:NUMBER"))
        }
    }
}
