import ProxydHTTPModel
import Testing

struct ExchangeNameTests {
    @Test(
        arguments: [
            ("4711", nil, 4_711), ("0", nil, 0), ("ci-17:4711", "ci-17", 4_711),
            ("a:b:7", "a:b", 7),
        ] as [(String, String?, Int64)])
    func `an exchange name is a number, optionally after the name of its store`(
        text: String, storeName: String?, number: Int64
    ) throws {
        let name = try #require(ExchangeName(text))
        #expect(name.storeName == storeName)
        #expect(name.number == number)
        #expect(name.description == text)
    }

    @Test(arguments: ["", ":", "ci-17", "ci-17:", ":7", "ci-17:x", "7 ", "9223372036854775808"])
    func `malformed strings are rejected as exchange names`(text: String) {
        #expect(ExchangeName(text) == nil)
    }

    @Test func `in a central store, the low 34 bits of an exchange ID are the number in its name`()
    {
        let id = ExchangeID(rawValue: 17 << 34 | 4_711)
        #expect(ExchangeName(id, in: "ci-17").description == "ci-17:4711")
        #expect(ExchangeName(id, in: "ci-17").fileName == "ci-17-4711")
        #expect(ExchangeName(id, in: nil).description == "\(17 << 34 | 4_711)")
        #expect(!id.isOwnNumber)
        #expect(ExchangeID(rawValue: 1 << 34 - 1).isOwnNumber)
    }
}
