import ProxydParameterCoding
import Testing

@Suite struct URLEncodingKeyTests {
    private func key(_ name: String, _ keys: URLEncoding.KeyEncoding) throws -> String {
        let text = try URLEncoding.default.changed { $0.keys = keys }.text([(name): "v"])
        return String(text.dropLast(2))
    }

    @Test func `keys are in the order of their code points at every level`() throws {
        let parameters: Parameter = [
            "b": 1, "B": 2, "a": ["z": 1, "%": 2, "Z": 3], "10": 5, "9": 6, "_": 7, "é": 8,
        ]
        let expected =
            "10=5&9=6&B=2&_=7&a%5B%25%5D=2&a%5BZ%5D=3&a%5Bz%5D=1&b=1&%C3%A9=8"
        #expect(try URLEncoding.default.text(parameters) == expected)
        #expect(
            try URLEncoding.default.text(["a": "z", "a%": "y", "ab": "x"]) == "a=z&a%25=y&ab=x")
    }

    @Test func `equivalent spellings are different keys in the order of their bytes`() throws {
        let parameters: Parameter = ["é": 1, "e\u{301}": 2]
        #expect(try URLEncoding.default.text(parameters) == "e%CC%81=2&%C3%A9=1")
    }

    @Test func `keys can stay as given, and equal ones stay in their order`() throws {
        let parameters: Parameter = ["b": 1, "a": 2, "b": 3, "a": 4]
        let asGiven = URLEncoding.default.changed { $0.keyOrder = .asGiven }
        #expect(try asGiven.text(parameters) == "b=1&a=2&b=3&a=4")
        #expect(try URLEncoding.default.text(parameters) == "a=2&a=4&b=1&b=3")
    }

    @Test func `keys that look like numbers are keys`() throws {
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
    func `camel case becomes words, acronyms whole`(name: String, snake: String, kebab: String)
        throws
    {
        #expect(try key(name, .snakeCase) == snake)
        #expect(try key(name, .kebabCase) == kebab)
    }

    @Test func `keys can be capitalized, upper or lower case, or what the user says`() throws {
        #expect(try key("oneTwo", .capitalized) == "OneTwo")
        #expect(try key("", .capitalized) == "")
        #expect(try key("oneTwo", .uppercased) == "ONETWO")
        #expect(try key("oneTwo", .lowercased) == "onetwo")
        #expect(try key("oneTwo", .custom { $0 + "!" }) == "oneTwo%21")
    }

    @Test func `each component of a path is changed for itself, brackets and indices are not`()
        throws
    {
        let encoding = URLEncoding.default.changed {
            $0.keys = .capitalized
            $0.arrays = .indexInBrackets
        }
        let text = try encoding.text(["one": ["two": [["three": "v"]]]])
        #expect(text == "One%5BTwo%5D%5B0%5D%5BThree%5D=v")
    }

    @Test func `changed keys are sorted as they are sent`() throws {
        let encoding = URLEncoding.default.changed { $0.keys = .custom { String($0.reversed()) } }
        #expect(try encoding.text(["az": 1, "ba": 2]) == "ab=2&za=1")
    }
}
