import ProxydParameterCoding
import Testing

@Suite struct URLEncodingErrorTests {
    private struct OwnError: Error, Equatable {}

    @Test(arguments: [
        Parameter.array([1]), .null, .string("a=b"), .int(1), .data([1]), .set(["a"]), .bool(true),
    ])
    func `URLEncoding throws an error if the root of the parameters is not an object`(
        root: Parameter
    ) {
        #expect(throws: ParameterEncodingError.rootIsNotObject) {
            try URLEncoding.default.encode(root, method: "GET")
        }
    }

    @Test func `URLEncoding rethrows the errors of custom date and data encodings`() {
        let encoding = URLEncoding.default.changed {
            $0.data = .custom { _ in throw OwnError() }
            $0.dates = .custom { _ in throw OwnError() }
        }
        let date = Parameter.date(ParameterDate(secondsSince2001: 0))
        for value in [Parameter.data([]), date, [.data([])], .set([date])] {
            #expect(throws: OwnError()) { try encoding.bytes(["k": value]) }
            #expect(throws: OwnError()) {
                try encoding.changed { $0.arrays = .json }.bytes(["k": value])
            }
        }
    }

    @Test func `URLEncoding throws an error for parameters nested too deeply`() throws {
        func nested(_ levels: Int, _ wrap: (Parameter) -> Parameter) -> Parameter {
            (0..<levels).reduce(1) { value, _ in wrap(value) }
        }
        let tooDeep = ParameterEncodingError.nestedTooDeeply(depthMax: URLEncoding.depthMax)
        let wraps: [(Parameter) -> Parameter] = [{ [$0] }, { .set([$0]) }, { ["k": $0] }]
        for wrap in wraps {
            let most = nested(URLEncoding.depthMax - 1, wrap)
            for arrays in [URLEncoding.ArrayEncoding.indexInBrackets, .json] {
                let encoding = URLEncoding.default.changed { $0.arrays = arrays }
                #expect(throws: Never.self) { try encoding.bytes(["k": most]) }
                #expect(throws: tooDeep) {
                    try encoding.bytes(["k": nested(URLEncoding.depthMax + 1, wrap)])
                }
            }
        }
    }

    @Test func `URLEncoding rejects raw bytes inside an array that it writes as JSON`() {
        let encoding = URLEncoding.default.changed { $0.arrays = .json }
        #expect(throws: ParameterEncodingError.rawInsideJSON(key: "k[l]")) {
            try encoding.bytes(["k": ["l": [.raw([0x31])]]])
        }
    }

    @Test(arguments: [URLEncoding.ArrayEncoding.brackets, .noBrackets])
    func `URLEncoding warns if the elements of nested arrays cannot be told apart`(
        arrays: URLEncoding.ArrayEncoding
    )
        throws
    {
        let encoding = URLEncoding.default.changed { $0.arrays = arrays }
        let parameters: Parameter = [
            "a": [["x": 1, "y": 2], ["x": 3]], "b": ["c": [[1, 2], [3]]], "d": ["plain"],
        ]
        let encoded = try encoding.encode(parameters, method: "GET")
        #expect(encoded.warnings == [.arrayOfObjects(key: "a"), .arrayOfArrays(key: "b[c]")])
    }

    @Test(arguments: [URLEncoding.ArrayEncoding.brackets, .noBrackets, .indexInBrackets])
    func `URLEncoding warns about objects and sets within sets unless arrays are written as JSON`(
        arrays: URLEncoding.ArrayEncoding
    ) throws {
        let encoding = URLEncoding.default.changed { $0.arrays = arrays }
        let parameters: Parameter = [
            "a": .set([["x": 1], ["x": 2]]), "b": .set([.set([1]), .set([2])]), "c": .set([1, 2]),
        ]
        let encoded = try encoding.encode(parameters, method: "GET")
        #expect(encoded.warnings == [.arrayOfObjects(key: "a"), .arrayOfArrays(key: "b")])
        let json = encoding.changed { $0.arrays = .json }
        #expect(try json.encode(parameters, method: "GET").warnings == [])
    }

    @Test(arguments: [URLEncoding.ArrayEncoding.indexInBrackets, .json])
    func `URLEncoding does not warn about nested arrays written with indices or as JSON`(
        arrays: URLEncoding.ArrayEncoding
    ) throws {
        let encoding = URLEncoding.default.changed { $0.arrays = arrays }
        let encoded = try encoding.encode(["a": [["x": 1], [[2]]]], method: "GET")
        #expect(encoded.warnings == [])
    }

    @Test func `URLEncoding reports each warning once, and at most 16 warnings`() throws {
        let arrays = (0..<100).map { Parameter.Member("\($0)", [[1]]) }
        let many = try URLEncoding.default.encode(.object(arrays), method: "GET")
        #expect(many.warnings.count == 16)
        let same: Parameter = ["a": [[[1]], [[2]]]]
        let encoded = try URLEncoding.default.encode(same, method: "GET")
        #expect(encoded.warnings == [.arrayOfArrays(key: "a"), .arrayOfArrays(key: "a[]")])
    }

    @Test func `descriptions of URLEncoding errors and warnings contain the key or the bad value`()
    {
        #expect("\(ParameterEncodingError.numberNotFinite(key: "a[b]"))".contains("“a[b]”"))
        #expect("\(ParameterEncodingError.badDecimal(key: "k", text: "x"))".contains("“x”"))
        #expect("\(ParameterEncodingError.nestedTooDeeply(depthMax: 9))".contains("9"))
        #expect("\(ParameterWarning.arrayOfObjects(key: "a"))".contains("“a”"))
    }
}
