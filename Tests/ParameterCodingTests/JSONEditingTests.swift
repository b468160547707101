import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct JSONEditingTests {
    private func edited(
        _ text: String, _ change: (inout JSONTextEditor) throws -> Void
    ) throws -> String {
        var editor = try JSONTextEditor(Array(text.utf8))
        try change(&editor)
        return String(decoding: editor.bytes, as: UTF8.self)
    }

    private func set(_ path: String, _ value: Parameter, in text: String) throws -> String {
        try edited(text) { try $0.set(value, at: JSONValuePath(path)) }
    }

    private func removed(_ path: String, from text: String) throws -> String {
        try edited(text) { try $0.remove(at: JSONValuePath(path)) }
    }

    @Test func `setting a value in a JSON text changes no other byte`() throws {
        let text = "{ \"a\" :\t{\"x\":[ 1.10, 2 ,{ \"y\" : null } ]},\r\n \"b\":1e400 }\n"
        #expect(
            try set("a.x[2].y", "new", in: text)
                == "{ \"a\" :\t{\"x\":[ 1.10, 2 ,{ \"y\" : \"new\" } ]},\r\n \"b\":1e400 }\n"
        )
        #expect(try set("a", [1], in: text) == "{ \"a\" :\t[1],\r\n \"b\":1e400 }\n")
        #expect(try set("", 7, in: " [1] ") == " 7 ")
        #expect(try set("[0]", 7, in: "\u{FEFF}[ 1 ]") == "\u{FEFF}[ 7 ]")
        #expect(try set("a", true, in: #"{"\u0061":"\"]}"}"#) == #"{"\u0061":true}"#)
    }

    @Test func `if JSON members share a name, setting a path changes the last one`() throws {
        #expect(
            try set("a.b", 9, in: #"{"a":{"b":1},"a":{"c":2}}"#)
                == #"{"a":{"b":1},"a":{"c":2,"b":9}}"#)
    }

    @Test func `setting a JSON path creates the members and elements that are missing`() throws {
        #expect(try set("a", 1, in: "{}") == #"{"a":1}"#)
        #expect(try set("a", 1, in: "{ }") == #"{"a":1 }"#)
        #expect(try set("b", 1, in: "{\n  \"a\": 0\n}") == "{\n  \"a\": 0,\"b\":1\n}")
        #expect(try set("[1]", 1, in: "[0]") == "[0,1]")
        #expect(try set("a.b[0].c", 1, in: "{}") == #"{"a":{"b":[{"c":1}]}}"#)
        #expect(try set(#"["a.b"]"#, 1, in: "{}") == #"{"a.b":1}"#)
    }

    @Test func `removing a JSON member or element also removes one comma`() throws {
        #expect(try removed("a", from: #"{"a":1}"#) == "{}")
        #expect(try removed("a", from: #"{ "a":1 , "b":2 }"#) == #"{ "b":2 }"#)
        #expect(try removed("b", from: #"{ "a":1 , "b":2 }"#) == #"{ "a":1 }"#)
        #expect(try removed("a", from: #"{"a":1,"a":2,"b":3,"a":4}"#) == #"{"b":3}"#)
        #expect(try removed("a", from: #"{"a":1,"a":2}"#) == "{}")
        #expect(try removed("[1]", from: "[0, 1, 2]") == "[0, 2]")
        #expect(try removed("x", from: #"{"a":1}"#) == #"{"a":1}"#)
        #expect(try removed("x.y", from: #"{"a":1}"#) == #"{"a":1}"#)
    }

    @Test
    func `setting a JSON path that does not match the text throws an error that says why`()
        throws
    {
        func problem(_ path: String, _ text: String) -> JSONPathError? {
            #expect(throws: JSONPathError.self) { try set(path, 1, in: text) }
            do { _ = try set(path, 1, in: text) } catch { return error as? JSONPathError }
            return nil
        }
        #expect(problem("a.b", #"{"a":1}"#) == .wrongContainer(stepIndex: 1))
        #expect(problem("[0]", "{}") == .wrongContainer(stepIndex: 0))
        #expect(problem("a", "[]") == .wrongContainer(stepIndex: 0))
        #expect(problem("[2]", "[0]") == .noSuchElement(stepIndex: 0))
        #expect(problem("a[1]", "{}") == .noSuchElement(stepIndex: 1))
        #expect(throws: JSONPathError.rootCannotBeRemoved) { try removed("", from: "[]") }
        #expect(throws: JSONPathError.self) { try set("a", .raw([0x7D]), in: "{}") }
        #expect(throws: JSONPathError.cannotBeWritten(.notFinite)) {
            try set("a", .double(.nan), in: "{}")
        }
        #expect(throws: JSONPathError.self) { try set("a", 1, in: "{") }
    }

    @Test(arguments: [
        "a..b", ".a", "a.", "a[", "a[x]", "a[-1]", "[\"a]", "a[1", "[99999999999999999999]",
    ])
    func `malformed JSON paths are rejected`(text: String) {
        #expect(throws: JSONPathError.badPath) { try JSONValuePath(text) }
    }

    @Test func `a JSON path with member names, indices and quoted names is parsed into its steps`()
        throws
    {
        let path = try JSONValuePath(#"a.x[2].y["z.\"w"][0]b"#)
        #expect(
            path.steps == [
                .member("a"), .member("x"), .element(2), .member("y"), .member("z.\"w"),
                .element(0), .member("b"),
            ])
    }

    @Test func `editing a JSON text and editing its parsed value give the same result`() throws {
        var random = SplitMix(seed: 22)
        for round in 0..<4_000 {
            let value = random.jsonValue(depth: 4)
            let path = JSONValuePath(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    Bool.random(using: &random)
                        ? .member(random.word()) : .element(Int.random(in: 0...2, using: &random))
                })
            let layout = JSONWriter(indentationByteCount: round % 2 == 0 ? 1 : nil)
            var editor = try JSONTextEditor(layout.write(value))
            let expected = try? value.setting(.string("new"), at: path)
            let isSet = (try? editor.set("new", at: path)) != nil
            #expect(isSet == (expected != nil), "round \(round)")
            #expect(try JSONReader().read(editor.bytes) == expected ?? value, "round \(round)")

            var remover = try JSONTextEditor(layout.write(value))
            let rest = try? value.removing(at: path)
            let isGone = (try? remover.remove(at: path)) != nil
            #expect(isGone == (rest != nil), "round \(round)")
            #expect(try JSONReader().read(remover.bytes) == rest ?? value, "round \(round)")
        }
    }

    @Test func `a value 1,000 levels deep in a large JSON text can be set and removed`() throws {
        // Looked through again at every level, this would be 1,000 times 200 kB.
        let depth = 1_000
        let wide = String(repeating: "[],", count: 60)
        let text =
            String(repeating: "{\"w\":[\(wide)0],\"a\":", count: depth) + "1"
            + String(repeating: "}", count: depth)
        let path = JSONValuePath((0..<depth).map { _ in .member("a") })
        var editor = try JSONTextEditor(
            Array(text.utf8), limits: JSONLimits(depthMax: 1_024))
        try editor.set(22, at: path)
        #expect(editor.bytes.count == text.utf8.count + 1)
        let read = try JSONReader(limits: JSONLimits(depthMax: 1_024)).read(editor.bytes)
        #expect(read.value(at: path) == .number("22"))
        #expect(try editor.remove(at: path))
        #expect(editor.bytes.count == text.utf8.count - #","a":1"#.utf8.count)
    }

    @Test func `setting a JSON path creates up to 512 levels and rejects deeper paths`() throws {
        func path(_ depth: Int) -> JSONValuePath {
            JSONValuePath((0..<depth).map { $0 % 2 == 0 ? .member("a") : .element(0) })
        }
        var editor = try JSONTextEditor(Array("{}".utf8))
        try editor.set(1, at: path(512))
        #expect(try JSONReader().read(editor.bytes).value(at: path(512)) == .number("1"))
        var other = try JSONTextEditor(Array("{}".utf8))
        #expect(throws: JSONPathError.self) { try other.set(1, at: path(513)) }
        #expect(other.bytes == Array("{}".utf8))
    }
}
