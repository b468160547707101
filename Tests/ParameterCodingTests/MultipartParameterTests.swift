import ProxydParameterCoding
import Testing

@Suite struct MultipartParameterTests {
    private func parts(
        _ parameters: Parameter,
        encoding: URLEncoding = MultipartFormData.parameterEncoding
    ) throws -> [[String]] {
        var form = MultipartFormData()
        try form.append(parameters: parameters, encoding: encoding)
        return form.parts.map { part in
            guard case .bytes(let bytes) = part.content else { return [] }
            #expect(part.filename == nil && part.contentType == nil && part.fields.isEmpty)
            return [part.name ?? "", String(decoding: bytes, as: UTF8.self)]
        }
    }

    @Test func `parameters become multipart parts sorted by name, and null becomes an empty part`()
        throws
    {
        let parameters: Parameter = [
            "b": nil, "a": 1, "c": ["x": true, "list": [2.5, "ü&=+ %41"]], "": "",
        ]
        #expect(
            try parts(parameters) == [
                ["", ""], ["a", "1"], ["b", ""], ["c[list][]", "2.5"], ["c[list][]", "ü&=+ %41"],
                ["c[x]", "1"],
            ])
        #expect(try parts([:]).isEmpty)
        #expect(try parts(["a&b=c d%": "x"]) == [["a&b=c d%", "x"]])
    }

    @Test func `Data parameters are put into multipart parts as raw bytes, in arrays too`() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        var form = MultipartFormData()
        try form.append(parameters: ["d": .data(bytes), "e": [.raw(bytes)]])
        #expect(form.parts.map(\.content) == [.bytes(bytes), .bytes(bytes)])
        #expect(form.parts.map(\.name) == ["d", "e[]"])
    }

    @Test
    func `multipart parts made from parameters follow URLEncoding's rules for names and values`()
        throws
    {
        var encoding = URLEncoding()
        encoding.arrays = .json
        encoding.bools = .literal
        encoding.keyOrder = .asGiven
        encoding.spaces = .plus
        encoding.escapes = EscapeSet(keeping: "&= %+")
        #expect(
            try parts(
                ["z y": true, "n": nil, "a": ["1 + 1", .data([1, 2, 3])]],
                encoding: encoding
            ) == [["z y", "true"], ["a", #"["1 + 1","AQID"]"#]])
    }

    @Test
    func `making multipart parts from parameters reports URLEncoding's warnings and errors`()
        throws
    {
        var form = MultipartFormData()
        #expect(
            try form.append(parameters: ["a": [["b": 1]]]) == [.arrayOfObjects(key: "a")])
        #expect(throws: ParameterEncodingError.rootIsNotObject) {
            try form.append(parameters: [1])
        }
        #expect(throws: ParameterEncodingError.rootIsNotObject) {
            try form.append(parameters: .raw(Array("a=b".utf8)))
        }
        #expect(throws: ParameterEncodingError.numberNotFinite(key: "x")) {
            try form.append(parameters: ["x": .double(.infinity)])
        }
        var deep: Parameter = 1
        for _ in 0..<600 { deep = ["a": deep] }
        #expect(throws: ParameterEncodingError.self) { try form.append(parameters: deep) }
        #expect(form.parts.count == 1)
    }
}
