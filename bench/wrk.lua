-- Sends the requests of a file in turn. Each line: method, path, body, then headers, parted by tabs.
-- "############" becomes a number nobody sent before (its length stays, and with it Content-Length).

local requests, at, sent = {}, 0, 0
local round = tonumber(os.getenv('BENCH_ROUND'))

function init()
  for line in io.lines(os.getenv('BENCH_REQUESTS')) do
    local fields = {}
    for field in (line .. '\t'):gmatch('([^\t]*)\t') do fields[#fields + 1] = field end
    local headers = {}
    for i = 4, #fields do
      local name, value = fields[i]:match('^([^:]+): (.*)$')
      headers[name] = value
    end
    local body = fields[3] ~= '' and fields[3] or nil
    local text = wrk.format(fields[1], fields[2], headers, body)
    requests[#requests + 1] = { text = text, unique = text:find('############', 1, true) ~= nil }
  end
end

function request()
  at = at % #requests + 1
  local chosen = requests[at]
  if not chosen.unique then return chosen.text end
  sent = sent + 1
  return (chosen.text:gsub('############', string.format('%04d%08d', round, sent)))
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('RESULT {"requests":%d,"seconds":%f,"failed":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, failed, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
