extension WireError.Kind {
    /// One line for a person; static text.
    var message: String {
        switch self {
        case .badRequestLine: "the request line is not METHOD SP TARGET SP HTTP/x.y"
        case .methodTooLong: "the method is too long"
        case .requestLineTooLong: "the request line is too long"
        case .unsupportedVersion: "the HTTP version is not supported"
        case .http2Preface: "HTTP/2 was spoken where HTTP/1.1 is expected"
        case .badStatusLine: "the status line is not HTTP/x.y SP CODE SP REASON"
        case .bareCR: "a carriage return stands without a line feed"
        case .bareLF: "a line ends in a line feed alone"
        case .badFieldName: "a field line does not begin with a valid name and a colon"
        case .whitespaceBeforeColon: "white space stands between a field name and its colon"
        case .badFieldValue: "a field value holds a control octet"
        case .obsFold: "a field line is folded or begins with white space"
        case .headTooLarge: "the head is too large"
        case .tooManyFields: "there are too many field lines"
        case .trailersTooLarge: "the trailer section is too large"
        case .badContentLength: "Content-Length is not one decimal number"
        case .conflictingFraming: "Content-Length and Transfer-Encoding contradict each other"
        case .badTransferEncoding: "Transfer-Encoding is not valid in this message"
        case .unsupportedTransferCoding: "a transfer coding other than chunked is not supported"
        case .badChunkSize: "a chunk size is not a valid hexadecimal number"
        case .badChunkEnd: "a chunk does not end in CRLF"
        case .badChunkExtension: "chunk extensions are too long or not valid"
        case .tooManyInformational: "the server sent too many interim responses"
        case .unsolicitedResponse: "the server sent octets that nobody asked for"
        case .closedEarly: "the connection ended inside a message"
        case .badHost: "the Host field is missing, repeated or not valid"
        case .badRequestTarget: "the request target is not valid for this method"
        case .badPort: "the port is not a number from 1 to 65535"
        case .userInfo: "the request target holds user information"
        case .unsupportedScheme: "the scheme is neither http nor https"
        case .misdirected: "the request target names another origin than the tunnel's"
        }
    }
}
