import 'ibid/worker';
