import ProxydParameterCoding
import Testing

@Suite struct PairEditingTests {
    private func edited(
        _ text: String, semicolonSeparates: Bool = false, _ change: (inout EncodedPairs) -> Bool
    ) -> String {
        let decoder = QueryDecoder(semicolonSeparates: semicolonSeparates)
        var pairs = decoder.decode(Array(text.utf8))
        let isChanged = change(&pairs)
        #expect(isChanged)
        return String(decoding: pairs.bytes, as: UTF8.self)
    }

    @Test func `editing a query pair changes no byte of the other pairs`() {
        let text = "a=%4a+b&&k;x=%zz&k=&é=1"
        #expect(edited(text) { $0.setValue("x y", at: 3) } == "a=%4a+b&&k;x=%zz&k=x%20y&é=1")
        #expect(edited(text) { $0.rename(at: 0, to: "ü") } == "%C3%BC=%4a+b&&k;x=%zz&k=&é=1")
        #expect(edited(text) { $0.setValue(nil, at: 0) } == "a&&k;x=%zz&k=&é=1")
        #expect(edited(text) { $0.setValue("", at: 1) } == "a=%4a+b&=&k;x=%zz&k=&é=1")
        #expect(edited(text) { $0.remove(at: 1) } == "a=%4a+b&k;x=%zz&k=&é=1")
        #expect(edited(text) { $0.remove(at: 4) } == "a=%4a+b&&k;x=%zz&k=")
        #expect(
            edited(text) { $0.insert(name: "n", value: nil, at: 0) }
                == "n&a=%4a+b&&k;x=%zz&k=&é=1")
        #expect(
            edited("a;b", semicolonSeparates: true) {
                $0.replace(at: 1, name: "x;y", value: "1=1")
            } == "a;x%3By=1%3D1")
    }

    @Test func `query pairs can be inserted at any position, even into an empty query`() {
        #expect(edited("") { $0.insert(name: "a", value: "1", at: 0) } == "a=1")
        #expect(edited("a") { $0.insert(name: "b", value: "", at: 1) } == "a&b=")
        #expect(edited("a&") { $0.insert(name: "b", value: nil, at: 2) } == "a&&b")
        #expect(edited("a&b") { $0.insert(name: "", value: nil, at: 1) } == "a&&b")
        #expect(edited("a") { $0.remove(at: 0) }.isEmpty)
    }

    @Test(arguments: [
        ("a=1&b=2&a=3&c", "b=2&c"), ("a", ""), ("b&a", "b"), ("a&b", "b"), ("a&&a", ""),
        ("&a&", "&"), ("b&%61=&c", "b&c"), ("b;a;c", "b;c"), ("a;b&c;a", "b&c"), ("", ""),
        ("b", "b"), ("a&a&a", ""), ("A&a%CC%81&a", "A&a%CC%81"),
    ])
    func `removing all query pairs with a name gives the same result as removing them one by one`(
        text: String, expected: String
    ) {
        var pairs = QueryDecoder(semicolonSeparates: true).decode(Array(text.utf8))
        var oneByOne = pairs
        let countBefore = pairs.pairs.count { $0.name == "a" }
        #expect(pairs.removeAll(named: "a") == countBefore)
        #expect(String(decoding: pairs.bytes, as: UTF8.self) == expected)
        #expect(pairs.joined() == pairs.bytes)
        while let position = oneByOne.pairs.firstIndex(where: { $0.name == "a" }) {
            oneByOne.remove(at: position)
        }
        #expect(pairs == oneByOne)
    }

    @Test func `50,000 query pairs are removed by name and the others stay unchanged`() {
        let text = String(repeating: "a=1&b&", count: 50_000)
        var pairs = QueryDecoder().decode(Array(text.utf8))
        #expect(pairs.removeAll(named: "a") == 50_000)
        #expect(pairs.bytes == Array(String(repeating: "b&", count: 50_000).utf8))
    }

    @Test func `editing a query pair at an invalid position changes nothing`() {
        var pairs = QueryDecoder().decode(Array("a&b".utf8))
        let before = pairs
        let changes = [
            pairs.remove(at: 2), pairs.remove(at: -1), pairs.insert(name: "x", value: nil, at: 3),
            pairs.rename(at: 2, to: "x"), pairs.setValue("x", at: 2),
            pairs.replace(at: 2, name: "x", value: nil),
        ]
        #expect(!changes.contains(true))
        #expect(pairs == before)
    }

    @Test
    func `an edited query value keeps the given characters unescaped, except separators`() {
        let all = EscapeSet(keeping: "abc&=;+%#[]/")
        #expect(
            edited("k") { $0.setValue("a&=;+%#[]/", at: 0, escaping: all) }
                == "k=a%26%3D%3B%2B%25%23[]/")
    }

    @Test func `each decoded query name and value reports the charset it was decoded with`() {
        let text = ByteText(declaredCharset: "gbk")
        let pairs = QueryDecoder(text: text).decode(Array("%E4%BD%A0=%D6%D0&%FF=x&b".utf8)).pairs
        #expect(pairs.map(\.name) == ["你", "ÿ", "b"])
        #expect(pairs.map(\.nameOrigin) == [.utf8, .undecodable, .utf8])
        #expect(pairs.map(\.value) == ["中", "x", nil])
        #expect(pairs.map(\.valueOrigin) == [.declaredCharset, .utf8, .utf8])
    }
}
