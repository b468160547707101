import ProxydParameterCoding
import Testing

@Suite struct URLEncodingKeyTests {
    private func key(_ name: String, _ keys: URLEncoding.KeyEncoding) throws -> String {
        let text = try URLEncoding.default.changed { $0.keys = keys }.text([(name): "v"])
        return String(text.dropLast(2))
    }

    @Test func `URLEncoding sorts keys by code point at every level`() throws {
        let parameters: Parameter = [
            "b": 1, "B": 2, "a": ["z": 1, "%": 2, "Z": 3], "10": 5, "9": 6, "_": 7, "é": 8,
        ]
        let expected =
            "10=5&9=6&B=2&_=7&a%5B%25%5D=2&a%5BZ%5D=3&a%5Bz%5D=1&b=1&%C3%A9=8"
        #expect(try URLEncoding.default.text(parameters) == expected)
        #expect(
            try URLEncoding.default.text(["a": "z", "a%": "y", "ab": "x"]) == "a=z&a%25=y&ab=x")
    }

    @Test func `URLEncoding keeps canonically equivalent keys apart and sorts them by their bytes`()
        throws
    {
        let parameters: Parameter = ["é": 1, "e\u{301}": 2]
        #expect(try URLEncoding.default.text(parameters) == "e%CC%81=2&%C3%A9=1")
    }

    @Test func `URLEncoding can leave keys unsorted and never reorders values with equal keys`()
        throws
    {
        let parameters: Parameter = ["b": 1, "a": 2, "b": 3, "a": 4]
        let asGiven = URLEncoding.default.changed { $0.keyOrder = .asGiven }
        #expect(try asGiven.text(parameters) == "b=1&a=2&b=3&a=4")
        #expect(try URLEncoding.default.text(parameters) == "a=2&a=4&b=1&b=3")
    }

    @Test func `URLEncoding treats keys that look like numbers as ordinary keys`() throws {
        let parameters: Parameter = ["b": "1", "10": "5", "9": ["1": "x", "k": "y"]]
        #expect(try URLEncoding.default.text(parameters) == "10=5&9%5B1%5D=x&9%5Bk%5D=y&b=1")
    }

    @Test(arguments: [
        ("oneTwoThree", "one_two_three", "one-two-three"),
        ("myURLProperty", "my_url_property", "my-url-property"),
        ("URLValue", "url_value", "url-value"),
        ("ABC", "abc", "abc"),
        ("aB", "a_b", "a-b"),
        ("one1Two", "one1_two", "one1-two"),
        ("userID", "user_id", "user-id"),
        ("_private", "_private", "_private"),
        ("one_Two", "one_two", "one_two"),
        ("", "", ""),
        ("X", "x", "x"),
    ])
    func `camel case keys become snake or kebab case, and an acronym stays one word`(
        name: String, snake: String, kebab: String
    )
        throws
    {
        #expect(try key(name, .snakeCase) == snake)
        #expect(try key(name, .kebabCase) == kebab)
    }

    @Test func `URLEncoding can capitalize, uppercase, lowercase or customize keys`() throws {
        #expect(try key("oneTwo", .capitalized) == "OneTwo")
        #expect(try key("", .capitalized) == "")
        #expect(try key("oneTwo", .uppercased) == "ONETWO")
        #expect(try key("oneTwo", .lowercased) == "onetwo")
        #expect(try key("oneTwo", .custom { $0 + "!" }) == "oneTwo%21")
    }

    @Test func `a key encoding changes each component of a path, but not brackets and indices`()
        throws
    {
        let encoding = URLEncoding.default.changed {
            $0.keys = .capitalized
            $0.arrays = .indexInBrackets
        }
        let text = try encoding.text(["one": ["two": [["three": "v"]]]])
        #expect(text == "One%5BTwo%5D%5B0%5D%5BThree%5D=v")
    }

    @Test func `URLEncoding sorts keys after it has transformed them`() throws {
        let encoding = URLEncoding.default.changed { $0.keys = .custom { String($0.reversed()) } }
        #expect(try encoding.text(["az": 1, "ba": 2]) == "ab=2&za=1")
    }
}
