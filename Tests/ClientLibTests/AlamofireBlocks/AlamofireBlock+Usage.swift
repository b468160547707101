// Made of what Alamofire 5.12.0 calls in its Usage.md, in order.

extension AlamofireBlock {
    /// The blocks of Usage.md.
    static let usageRows: [AlamofireBlock] = [
        .init(.usage, 1, "Making Requests", "AF.request, response", .same),
        .init(
            .usage, 2, "Making Requests",
            "Session.request with Encodable parameters, every argument", .instead),
        .init(
            .usage, 3, "Making Requests",
            "Session.request(URLRequestConvertible), every argument", .instead),
        .init(.usage, 4, "HTTP Methods", "HTTPMethod and its cases", .same),
        .init(.usage, 5, "HTTP Methods", "URLRequest.method", .same),
        .init(.usage, 6, "HTTP Methods", "AF.request(method:)", .same),
        .init(.usage, 7, "HTTP Methods", "a method of one's own", .same),
        .init(
            .usage, 8, "Setting Other URLRequest Properties",
            "requestModifier, timeoutInterval", .same),
        .init(
            .usage, 9, "Setting Other URLRequest Properties",
            "requestModifier as a trailing closure", .instead),
        .init(
            .usage, 10, "Request Parameters and Parameter Encoders",
            "parameters, JSONParameterEncoder.default", .same),
        .init(
            .usage, 11, "GET Request With URL-Encoded Parameters",
            "parameters of a GET, three ways", .same),
        .init(
            .usage, 12, "POST Request With URL-Encoded Parameters",
            "parameters of a POST, three ways", .same),
        .init(
            .usage, 13, "Configuring the Sorting of Encoded Values",
            "URLEncodedFormEncoder(alphabetizeKeyValuePairs:)", .same),
        .init(.usage, 14, "Configuring the Encoding of Array Parameters", "arrayEncoding", .same),
        .init(.usage, 15, "Configuring the Encoding of Bool Parameters", "boolEncoding", .same),
        .init(.usage, 16, "Configuring the Encoding of Data Parameters", "dataEncoding", .same),
        .init(.usage, 17, "Configuring the Encoding of Date Parameters", "dateEncoding", .same),
        .init(.usage, 18, "Configuring the Encoding of Coding Keys", "keyEncoding", .same),
        .init(.usage, 19, "Configuring the Encoding of Object Key Paths", "keyPathEncoding", .same),
        .init(.usage, 20, "Configuring the Encoding of Spaces", "spaceEncoding", .same),
        .init(
            .usage, 21, "Configuring the Encoding of Optionals",
            "a NilEncoding of one's own", .mended("its NilEncoding is not in scope")),
        .init(.usage, 22, "Configuring the Encoding of Optionals", "nilEncoding", .same),
        .init(
            .usage, 23, "POST Request with JSON-Encoded Parameters",
            "JSONParameterEncoder default, prettyPrinted, sortedKeys", .same),
        .init(
            .usage, 24, "Configuring a Custom JSONEncoder",
            "JSONParameterEncoder(encoder:)", .mended("JSONEncoder has dateEncodingStrategy")),
        .init(
            .usage, 25, "Manual Parameter Encoding of a URLRequest",
            "ParameterEncoder.encode(_:into:)", .same),
        .init(.usage, 26, "HTTP Headers", "HTTPHeaders as a dictionary", .same),
        .init(.usage, 27, "HTTP Headers", "HTTPHeaders as a list", .same),
        .init(.usage, 28, "Automatic Validation", "validate()", .same),
        .init(
            .usage, 29, "Manual Validation",
            "validate(statusCode:), validate(contentType:)", .same),
        .init(.usage, 30, "Response Handling", "responseDecodable(of:)", .same),
        .init(
            .usage, 31, "Response Handling",
            "the five response handlers, every argument", .instead),
        .init(.usage, 32, "Response Handler", "response", .same),
        .init(.usage, 33, "Response Data Handler", "responseData", .same),
        .init(.usage, 34, "Response String Handler", "responseString", .same),
        .init(.usage, 35, "Response Decodable Handler", "responseDecodable(of:)", .same),
        .init(.usage, 36, "Chained Response Handlers", "two handlers", .same),
        .init(.usage, 37, "Response Handler Queue", "responseDecodable(of:queue:)", .same),
        .init(.usage, 38, "HTTP Basic Authentication", "authenticate(username:password:)", .same),
        .init(
            .usage, 39, "Authentication with URLCredential",
            "authenticate(with: URLCredential)", .same),
        .init(.usage, 40, "Manual Authentication", "HTTPHeader.authorization", .same),
        .init(.usage, 41, "Downloading Data to a File", "AF.download, responseURL", .same),
        .init(.usage, 42, "Download File Destination", "DownloadRequest.Destination", .same),
        .init(.usage, 43, "Download File Destination", "suggestedDownloadDestination(for:)", .same),
        .init(.usage, 44, "Download Progress", "downloadProgress", .same),
        .init(.usage, 45, "Download Progress", "downloadProgress(queue:)", .same),
        .init(
            .usage, 46, "Canceling and Resuming a Download",
            "cancel with resume data, download(resumingWith:)", .instead),
        .init(.usage, 47, "Uploading Data", "AF.upload(Data)", .same),
        .init(
            .usage, 48, "Uploading a File",
            "AF.upload(URL)", .mended("the URL of a resource is optional")),
        .init(
            .usage, 49, "Uploading Multipart Form Data",
            "AF.upload(multipartFormData:), append(_:withName:)", .same),
        .init(
            .usage, 50, "Upload Progress",
            "uploadProgress, downloadProgress", .mended("the URL of a resource is optional")),
        .init(.usage, 51, "Streaming Data from a Server", "DataStreamRequest.Stream", .same),
        .init(.usage, 52, "Streaming Data from a Server", "DataStreamRequest.Event", .same),
        .init(.usage, 53, "Streaming Data from a Server", "DataStreamRequest.Completion", .same),
        .init(.usage, 54, "Streaming Data", "responseStream(on:stream:)", .same),
        .init(.usage, 55, "Streaming Data", "responseStream", .same),
        .init(.usage, 56, "Streaming Strings", "responseStreamString(on:stream:)", .same),
        .init(.usage, 57, "Streaming Strings", "responseStreamString", .same),
        .init(
            .usage, 58, "Streaming Decodable Values",
            "responseStreamDecodable, every argument", .same),
        .init(.usage, 59, "Streaming Decodable Values", "responseStreamDecodable(of:)", .same),
        .init(.usage, 60, "Producing an InputStream", "asInputStream, its declaration", .instead),
        .init(.usage, 61, "Producing an InputStream", "asInputStream", .instead),
        .init(.usage, 62, "Cancellation", "cancel()", .same),
        .init(.usage, 63, "Cancellation", "automaticallyCancelOnStreamError", .same),
        .init(.usage, 64, "Cancellation", "an error thrown in a handler", .same),
        .init(.usage, 65, "Cancellation", "Stream.cancel()", .same),
        .init(.usage, 66, "URLSessionTaskMetrics", "response.metrics", .same),
        .init(.usage, 67, "cURL Command Output", "cURLDescription", .same),
        .init(
            .usage, 68, "cURL Command Output",
            "what cURLDescription prints", .none("output, no code")),
    ]
}
