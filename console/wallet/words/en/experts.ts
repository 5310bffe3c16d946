export const experts = {
  title: 'For experts',
};
