import ProxydPresentation
import Testing

struct JSONTextLayoutTests {
    private func indented(_ text: String) -> String {
        String(decoding: JSONTextLayout.indented(Array(text.utf8)), as: UTF8.self)
    }

    private func compact(_ text: String) -> String {
        String(decoding: JSONTextLayout.compact(Array(text.utf8)), as: UTF8.self)
    }

    @Test func `indenting JSON puts each member on its own line and keeps every token`() {
        let text = #"{ "a":[1.50, 2e3,[ ]],"b" :{}, "c\"\\":"x, {y}\u0041","a":null}"#
        #expect(
            indented(text) == #"""
                {
                  "a": [
                    1.50,
                    2e3,
                    []
                  ],
                  "b": {},
                  "c\"\\": "x, {y}\u0041",
                  "a": null
                }
                """#)
        #expect(
            compact(indented(text))
                == #"{"a":[1.50,2e3,[]],"b":{},"c\"\\":"x, {y}\u0041","a":null}"#)
    }

    @Test(arguments: ["", "1", "\"a b\"", "[]", "{}", "\"\\\\\"", "[[[]]]"])
    func `indenting and then compacting a short JSON value restores it`(text: String) {
        #expect(compact(indented(text)) == text)
    }

    @Test(arguments: ["]", "}]", "{,}", "\"\\", "[\"", ":::", "{\"a\":}", "[1,]"])
    func `indenting and then compacting invalid JSON loses at most one character`(text: String) {
        #expect(compact(indented(text)).count >= text.count - 1)
    }

    @Test
    func `the indentation of deeply nested JSON is limited, and compacting restores the text`() {
        let text = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(indented(text).utf8.count < 10_000 * 2 * 140)
        #expect(compact(indented(text)) == text)
    }
}
