-- Sends the requests of a file in turn. Each line: method, path, body, then headers, parted by tabs.
-- "############" becomes a number nobody sent before (its length stays, and with it Content-Length).
-- "{value}" becomes a line of BENCH_VALUES that was not used yet, such as a code. When there are no more, the round is over. With BENCH_NEXT each
-- answer brings one more: what this pattern finds in it.

local ffi = require('ffi')
ffi.cdef [[ typedef struct { long seconds; long micros; } bench_time; int gettimeofday(bench_time *now, void *zone); ]]
local clock = ffi.new('bench_time')
local function time()
  ffi.C.gettimeofday(clock, nil)
  return tonumber(clock.seconds) + tonumber(clock.micros) / 1e6
end

local requests, at, sent = {}, 0, 0
local round = tonumber(os.getenv('BENCH_ROUND'))
local values, used, following = {}, 0, os.getenv('BENCH_NEXT')
local threads = {}

function setup(thread) threads[#threads + 1] = thread end

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
    local format = body and body:find('{value}', 1, true) and function(value)
      return wrk.format(fields[1], fields[2], headers, (body:gsub('{value}', (value:gsub('%%', '%%%%')))))
    end
    requests[#requests + 1] = { text = text, unique = text:find('############', 1, true) ~= nil, format = format }
  end
  local file = os.getenv('BENCH_VALUES')
  if not file then return end
  for line in io.lines(file) do values[#values + 1] = line end
  -- Only here: a function for answers costs time.
  answered, failures = 0, 0
  response = function(status, headers, body)
    answered, last = answered + 1, time()
    if status ~= 200 then failures = failures + 1 end
    local value = following and body:match(following)
    if value then values[#values + 1] = value end
    if answered == #values and not following then wrk.thread:stop() end
  end
end

function request()
  at = at % #requests + 1
  local chosen = requests[at]
  if chosen.format then
    used = used + 1
    first = first or time()
    -- Nothing is left: this one is not answered before the end, and not counted.
    return values[used] and chosen.format(values[used]) or 'GET /'
  end
  if not chosen.unique then return chosen.text end
  sent = sent + 1
  return (chosen.text:gsub('############', string.format('%04d%08d', round, sent)))
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local requests, duration = summary.requests, summary.duration / 1e6
  if threads[1]:get('answered') then
    requests, failed = threads[1]:get('answered'), threads[1]:get('failures')
    duration = threads[1]:get('last') - threads[1]:get('first')
  end
  io.write(string.format('RESULT {"requests":%d,"seconds":%f,"failed":%d,"p50":%f,"p99":%f}\n',
    requests, duration, failed, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
