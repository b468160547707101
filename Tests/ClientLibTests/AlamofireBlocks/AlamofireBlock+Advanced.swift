// Made of what Alamofire 5.12.0 calls in its AdvancedUsage.md, in order.

extension AlamofireBlock {
    /// The blocks of AdvancedUsage.md.
    static let advancedRows: [AlamofireBlock] = [
        .init(.advanced, 1, "Session", "AF.request", .same),
        .init(.advanced, 2, "Session", "Session.default", .same),
        .init(
            .advanced, 3, "Creating Custom Session Instances",
            "Session.init, every argument", .instead),
        .init(
            .advanced, 4, "Creating a Session With a URLSessionConfiguration",
            "URLSessionConfiguration.af.default", .instead),
        .init(.advanced, 5, "SessionDelegate", "SessionDelegate(fileManager:)", .instead),
        .init(
            .advanced, 6, "startRequestsImmediately",
            "Session(startRequestsImmediately:)", .same),
        .init(
            .advanced, 7, "A Session’s DispatchQueues",
            "Session(rootQueue:requestQueue:serializationQueue:)", .instead),
        .init(.advanced, 8, "Adding a RequestInterceptor", "Session(interceptor:)", .same),
        .init(
            .advanced, 9, "Adding a ServerTrustManager",
            "Session(serverTrustManager:), pins of the bundle", .instead),
        .init(.advanced, 10, "Adding a RedirectHandler", "Session(redirectHandler:)", .same),
        .init(
            .advanced, 11, "Adding a CachedResponseHandler",
            "Session(cachedResponseHandler:)", .instead),
        .init(
            .advanced, 12, "Adding EventMonitors",
            "ClosureEventMonitor, Session(eventMonitors:)", .instead),
        .init(.advanced, 13, "Operating on All Requests", "withAllRequests", .same),
        .init(
            .advanced, 14, "Operating on All Requests",
            "cancelAllRequests(completingOn:)", .same),
        .init(
            .advanced, 15, "Creating Instances From URLSessions",
            "Session(session:delegate:rootQueue:)", .instead),
        .init(.advanced, 16, "State", "Request.State", .same),
        .init(.advanced, 17, "Progress", "uploadProgress, downloadProgress", .same),
        .init(.advanced, 18, "Handling Redirects", "redirect(using:)", .same),
        .init(.advanced, 19, "Customizing Caching", "cacheResponse(using:)", .instead),
        .init(.advanced, 20, "Credentials", "authenticate(username:password:)", .same),
        .init(
            .advanced, 21, "Credentials",
            "authenticate with a credential", .mended("the method is authenticate(with:)")),
        .init(.advanced, 22, "A Request’s URLRequests", "onURLRequestCreation", .same),
        .init(.advanced, 23, "URLSessionTasks", "onURLSessionTaskCreation", .instead),
        .init(.advanced, 24, "HTTPURLResponses", "onHTTPResponse", .same),
        .init(
            .advanced, 25, "HTTPURLResponses",
            "onHTTPResponse with a completion handler, .allow", .same),
        .init(
            .advanced, 26, "HTTPURLResponses",
            "onHTTPResponse with a completion handler, .cancel", .same),
        .init(.advanced, 27, "HTTPURLResponses", "onHTTPResponse, async", .same),
        .init(.advanced, 28, "HTTPURLResponses", "httpResponses()", .same),
        .init(
            .advanced, 29, "URLSessionTaskMetrics",
            "response.metrics", .mended("it has a brace too many")),
        .init(.advanced, 30, "Validation", "DataRequest.Validation", .same),
        .init(.advanced, 31, "Validation", "validate with a closure", .same),
        .init(.advanced, 32, "Validation", "DataStreamRequest.Validation", .same),
        .init(.advanced, 33, "Validation", "validate with a closure, of a stream", .same),
        .init(.advanced, 34, "Cancellation", "DownloadRequest.cancel with a handler", .same),
        .init(.advanced, 35, "Validation", "DownloadRequest.Validation", .same),
        .init(
            .advanced, 36, "RequestAdapter",
            "RequestAdapter.adapt(_:for:completion:), declared", .same),
        .init(.advanced, 37, "RequestAdapter", "RequestAdapter.adapt(_:for:completion:)", .same),
        .init(.advanced, 38, "RequestAdapter", "RequestAdapter.adapt(_:using:completion:)", .same),
        .init(.advanced, 39, "RequestRetrier", "RequestRetrier.retry, declared", .instead),
        .init(.advanced, 40, "RequestRetrier", "RetryResult", .same),
        .init(.advanced, 41, "RequestRetrier", "RequestRetrier.retry", .instead),
        .init(
            .advanced, 42, "Using Multiple RequestInterceptors",
            "Interceptor(adapter:retrier:), Interceptor(interceptors:)", .same),
        .init(.advanced, 43, "AuthenticationInterceptor", "AuthenticationCredential", .same),
        .init(.advanced, 44, "AuthenticationInterceptor", "Authenticator", .same),
        .init(.advanced, 45, "AuthenticationInterceptor", "AuthenticationInterceptor", .same),
        .init(
            .advanced, 46, "Compressing Request Body Data With DeflateRequestCompressor",
            "deflateCompressor", .same),
        .init(
            .advanced, 47, "Compressing Request Body Data With DeflateRequestCompressor",
            "DuplicateHeaderBehavior", .same),
        .init(
            .advanced, 48, "Compressing Request Body Data With DeflateRequestCompressor",
            "deflateCompressor(duplicateHeaderBehavior:)", .same),
        .init(
            .advanced, 49, "Compressing Request Body Data With DeflateRequestCompressor",
            "DeflateRequestCompressor with a closure", .same),
        .init(.advanced, 50, "ServerTrustEvaluating", "ServerTrustEvaluating.evaluate", .instead),
        .init(.advanced, 51, "ServerTrustManager", "ServerTrustManager(evaluators:)", .instead),
        .init(
            .advanced, 52, "Subclassing ServerTrustManager",
            "a subclass of ServerTrustManager", .instead),
        .init(
            .advanced, 53, "Using Self-Signed Certificates with Local Networking",
            "a property list for App Transport Security", .none("a setting of Apple's")),
        .init(.advanced, 54, "CachedResponseHandler", "CachedResponseHandler", .instead),
        .init(.advanced, 55, "CachedResponseHandler", "ResponseCacher.Behavior", .instead),
        .init(.advanced, 56, "RedirectHandler", "RedirectHandler.task", .instead),
        .init(.advanced, 57, "RedirectHandler", "Redirector.Behavior", .instead),
        .init(.advanced, 58, "Logging", "an EventMonitor of one's own", .instead),
        .init(.advanced, 59, "Logging", "Session(eventMonitors:)", .same),
        .init(.advanced, 60, "URLConvertible", "URLConvertible: String, URL, URLComponents", .same),
        .init(
            .advanced, 61, "URLRequestConvertible",
            "URLRequest: method, httpBody, headers", .same),
        .init(.advanced, 62, "Routing Requests", "a router", .same),
        .init(.advanced, 63, "Routing Requests", "a router with parameters", .same),
        .init(
            .advanced, 64, "Handling Responses Without Serialization",
            "response(queue:completionHandler:)", .same),
        .init(.advanced, 65, "ResponseSerializer", "ResponseSerializer, declared", .instead),
        .init(
            .advanced, 66, "ResponseSerializer",
            "response(queue:responseSerializer:completionHandler:)", .same),
        .init(.advanced, 67, "Response Transforms", "map", .same),
        .init(.advanced, 68, "Response Transforms", "tryMap", .same),
        .init(
            .advanced, 69, "Creating a Custom Response Serializer",
            "a ResponseSerializer of one's own", .mended("it returns substrings for strings")),
        .init(
            .advanced, 70, "Streaming Response Handlers",
            "DataStreamSerializer, declared", .instead),
        .init(.advanced, 71, "Streaming Response Handlers", "responseStream(using:)", .same),
        .init(
            .advanced, 72, "Streaming Response Handlers",
            "a stream's Decodable handler", .mended("the method is responseStreamDecodable")),
        .init(.advanced, 73, "Streaming Response Handlers", "DecodableStreamSerializer", .same),
        .init(
            .advanced, 74, "Using Alamofire with Combine",
            "publishDecodable", .none("Combine is Apple's")),
        .init(
            .advanced, 75, "Using Alamofire with Combine",
            "result(), value() of publishers", .none("Combine is Apple's")),
        .init(
            .advanced, 76, "Using Alamofire with Combine",
            "CombineLatest of publishers", .none("Combine is Apple's")),
        .init(
            .advanced, 77, "Using Alamofire with Combine",
            "flatMap of publishers", .none("Combine is Apple's")),
        .init(
            .advanced, 78, "DataRequest and UploadRequest Support",
            "serializingDecodable(_:).value", .same),
        .init(
            .advanced, 79, "DataRequest and UploadRequest Support",
            "DataTask: response, result, value", .same),
        .init(
            .advanced, 80, "DataRequest and UploadRequest Support",
            "two tasks of one request", .same),
        .init(
            .advanced, 81, "DataRequest and UploadRequest Support",
            "three requests at once", .same),
        .init(
            .advanced, 82, "DownloadRequest Support",
            "a download's URL, awaited", .mended("the method is serializingDownloadedFileURL")),
        .init(
            .advanced, 83, "Automatic Cancellation",
            "a task that is cancelled, without its request", .same),
        .init(.advanced, 84, "Automatic Cancellation", "automaticallyCancelling", .same),
        .init(
            .advanced, 85, "DataStreamRequest Support",
            "streamTask(), streamingData()", .mended("the method is streamRequest")),
        .init(
            .advanced, 86, "DataStreamRequest Support",
            "streamingData(automaticallyCancelling:)", .mended("the method is streamRequest")),
        .init(.advanced, 87, "Value Stream Handlers", "cURLDescriptions()", .same),
        .init(.advanced, 88, "Network Reachability", "NetworkReachabilityManager(host:)", .instead),
    ]
}
