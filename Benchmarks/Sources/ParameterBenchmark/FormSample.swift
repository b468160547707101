internal import ProxydParameterCoding

/// Forms as they are sent: mostly plain, some escaped, a few empty.
struct FormSample {
    let bytes: [UInt8]
    /// The same as text.
    let text: String
    /// What is encoded to a form like this one.
    let parameters: Parameter

    /// What a search or a log-in sends.
    static let small = FormSample(
        "q=caf%C3%A9+au+lait&page=2&sort=price&tags%5B%5D=a&tags%5B%5D=b&remember=&token="
            + "8f14e45fceea167a5a36dedd4bea2543")

    /// A megabyte of pairs.
    static let large: FormSample = {
        var pairs: [String] = []
        var byteCount = 0
        while byteCount < 1 << 20 {
            let index = pairs.count
            let pair =
                switch index % 8 {
                case 0: "item%5B\(index)%5D%5Bname%5D=Gr%C3%BC%C3%9Fe+aus+K%C3%B6ln"
                case 1: "item%5B\(index)%5D%5Bprice%5D=\(index * 37 % 10_000).95"
                case 2: "comment=It+is+a+truth+universally+acknowledged%2C+that+\(index)"
                case 3: "id=\(index)"
                case 4: "session=0123456789abcdef0123456789abcdef"
                case 5: "empty="
                case 6: "return=https%3A%2F%2Fwww.example.com%2Fpath%3Fa%3D\(index)%26b%3Dc"
                default: "csrf_token=QWxhZGRpbjpvcGVuIHNlc2FtZQ.\(index)"
                }
            pairs.append(pair)
            byteCount += pair.utf8.count + 1
        }
        return FormSample(pairs.joined(separator: "&"))
    }()

    private init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        parameters = .object(
            QueryDecoder().decode(bytes).pairs.map { .init($0.name, .string($0.value ?? "")) })
    }
}
